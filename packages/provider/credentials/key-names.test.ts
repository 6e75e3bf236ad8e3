import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MacHost } from '@minifleet/api';
import { keyNames } from './fleet-key.ts';

const hostOf = (fleet: string | undefined): MacHost =>
  ({ spec: { consumerRef: { namespace: 'ns', name: 'mac' }, desired: { fleet } } }) as MacHost;
const secretOf = (fleet: string | undefined): string => keyNames(hostOf(fleet), '').secret;

test('a fleet name that is a valid object name is used for the Secret', () => {
  assert.equal(secretOf('runners'), 'runners-ssh');
  assert.equal(secretOf('vm-image.builders2'), 'vm-image.builders2-ssh');
  assert.equal(secretOf(undefined), 'ns-mac-ssh');
  assert.equal(secretOf(''), 'ns-mac-ssh');
});

test('a fleet name that is only a valid label value gets a unique Secret name', () => {
  const unfit = ['Runners', 'run_ners', 'run-_ners', 'run..ners', 'run.-ners'].map(secretOf);
  for (const name of unfit) assert.match(name, /^[a-z0-9-]+-[0-9a-f]{8}-ssh$/);
  assert.equal(new Set([...unfit, secretOf('runners'), secretOf('run-ners')]).size, 7);
});

test('the fleet key Secret is in the namespace of the machine, and its name at the vendor has the cluster id', () => {
  assert.deepEqual(keyNames(hostOf('runners'), 'c1a2b3c4-0000-4000-8000-000000000000'), {
    namespace: 'ns',
    secret: 'runners-ssh',
    vendor: 'tuist-capi-runners-c1a2b3c4',
    fleet: 'runners',
  });
});
