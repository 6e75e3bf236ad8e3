import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { poolOf } from '../testing/seen.ts';
import { goldenHash } from './runner.ts';
import { newPod, newSecret, runnerName } from './runner-objects.ts';

const pool = poolOf({ labels: ['team=ios', 'example.com/paid'], fleetSelector: 'runners' });
const pod = newPod(pool, 'macos-26-0a0b0c0d');

test('the label of Nodes that have an image is the one the agents write', () => {
  assert.equal(goldenHash(`ghcr.io/tuist/tuist-runner@sha256:${'a'.repeat(64)}`), '9c8af651fdf30b10');
});

test('a runner is named after its pool, within what a forge takes', () => {
  assert.equal(
    runnerName(pool, () => Uint8Array.of(10, 11, 12, 13)),
    'macos-26-0a0b0c0d',
  );
  assert.ok(runnerName(poolOf(), () => new Uint8Array(4)).length <= 64);
});

test('a Pod asks for one VM of the fleet and waits there for its registration', () => {
  const [container] = pod.spec?.containers ?? [];
  const asked = { cpu: '8000m', memory: '14336Mi', 'minifleet.dev/macos-vm': '1' };
  assert.deepEqual(container?.resources, { requests: asked, limits: asked });
  assert.equal(pod.spec?.restartPolicy, 'Never');
  assert.equal(pod.spec?.nodeSelector?.['tuist.dev/fleet'], 'runners');
  assert.deepEqual(pod.spec?.volumes?.[0]?.secret, {
    secretName: 'macos-26-0a0b0c0d',
    items: [{ key: 'jitconfig', path: 'jitconfig' }],
  });
});

test('it has the labels that its pool gives, and none of them changes whose it is', () => {
  assert.deepEqual(pod.metadata.labels, {
    team: 'ios',
    'example.com/paid': '',
    [names.labels.runner]: 'true',
    [names.labels.runnerPool]: 'macos-26',
  });
});

test('neither Pod nor Secret has an owner that could be collected from under a job', () => {
  for (const made of [pod, newSecret(pool, 'a')]) assert.equal(made.metadata.ownerReferences, undefined);
});

test('a new Secret is empty, and no environment is given to the VM', () => {
  const secret = newSecret(pool, 'a');
  assert.deepEqual([secret.data, secret.stringData], [undefined, undefined]);
  assert.equal(pod.spec?.containers[0]?.env, undefined);
});

test('I40 it is drawn away from hosts where another never started, more than to its image', () => {
  const preferences = (shunned?: readonly string[]) =>
    newPod(pool, 'a', shunned).spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const [away, near] = preferences(['mac-1']);
  assert.deepEqual(away?.preference.matchExpressions, [
    { key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['mac-1'] },
  ]);
  assert.ok((away?.weight ?? 0) > (near?.weight ?? 0));
  assert.equal(preferences().length, 1);
});
