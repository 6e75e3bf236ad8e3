import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { poolOf } from '../testing/seen.ts';
import { goldenHash } from './runner.ts';
import { newPod, newSecret, runnerName } from './runner-objects.ts';

const pool = poolOf({ labels: ['team=ios', 'example.com/paid'], fleetSelector: 'runners' });
const pod = newPod(pool, 'macos-26-0a0b0c0d');

test('the image label of Nodes is the one that node agents write', () => {
  assert.equal(goldenHash(`ghcr.io/tuist/tuist-runner@sha256:${'a'.repeat(64)}`), '9c8af651fdf30b10');
});

test('a runner name starts with its pool and fits GitHub’s limit', () => {
  assert.equal(
    runnerName(pool, () => Uint8Array.of(10, 11, 12, 13)),
    'macos-26-0a0b0c0d',
  );
  assert.ok(runnerName(poolOf(), () => new Uint8Array(4)).length <= 64);
});

test('a runner Pod requests one VM slot and waits for its registration', () => {
  const [container] = pod.spec?.containers ?? [];
  const asked = { cpu: '4000m', memory: '7168Mi', 'minifleet.dev/macos-vm': '1' };
  assert.deepEqual(container?.resources, { requests: asked, limits: asked });
  assert.equal(pod.spec?.restartPolicy, 'Never');
  assert.equal(pod.spec?.nodeSelector?.['tuist.dev/fleet'], 'runners');
  assert.deepEqual(pod.spec?.volumes?.[0]?.secret, {
    secretName: 'macos-26-0a0b0c0d',
    items: [{ key: 'jitconfig', path: 'jitconfig' }],
  });
});

test('pool labels are added to a runner Pod but cannot change its membership', () => {
  assert.deepEqual(pod.metadata.labels, {
    team: 'ios',
    'example.com/paid': '',
    [names.labels.runner]: 'true',
    [names.labels.runnerPool]: 'macos-26',
  });
});

test('runner Pod and Secret have no owner reference', () => {
  for (const made of [pod, newSecret(pool, 'a')]) assert.equal(made.metadata.ownerReferences, undefined);
});

test('a new runner Secret is empty, and the VM gets no environment', () => {
  const secret = newSecret(pool, 'a');
  assert.deepEqual([secret.data, secret.stringData], [undefined, undefined]);
  assert.equal(pod.spec?.containers[0]?.env, undefined);
});

test('I40 a runner avoids hosts where another never started, even if they have the image', () => {
  const preferences = (shunned?: readonly string[]) =>
    newPod(pool, 'a', shunned).spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const [away, near] = preferences(['mac-1']);
  assert.deepEqual(away?.preference.matchExpressions, [
    { key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['mac-1'] },
  ]);
  assert.ok((away?.weight ?? 0) > (near?.weight ?? 0));
  assert.equal(preferences().length, 1);
});
