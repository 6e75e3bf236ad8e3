import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import type { KubeSecret } from '@minifleet/kube';
import { createStarts } from './starts.ts';

const secret = (onlineSince?: string): KubeSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...{ namespace: 'ci', name: 'macos-1', creationTimestamp: '2030-01-01T00:00:00Z' },
    labels: { [names.labels.runnerPool]: 'macos' },
    annotations: onlineSince === undefined ? {} : { [names.annotations.onlineSince]: onlineSince },
  },
});

test('a runner start is reported once, when the runner is first online', () => {
  const reported: unknown[] = [];
  const saw = createStarts(({ namespace, name }, seconds) => void reported.push([namespace, name, seconds]));
  const online = secret('2030-01-01T00:00:42Z');
  saw({ type: 'added', object: secret(), initial: false });
  saw({ type: 'updated', previous: secret(), object: secret() });
  saw({ type: 'updated', previous: secret(), object: online });
  saw({ type: 'updated', previous: online, object: online });
  assert.deepEqual(reported, [['ci', 'macos', 42]]);
});

test('a runner that was online in the first list is not reported as a start', () => {
  createStarts(() => assert.fail('reported'))({ type: 'added', object: secret('2030-01-01T00:00:42Z'), initial: true });
});
