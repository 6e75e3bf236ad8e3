import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostClaim } from './host-claim.ts';

const name = '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11';
const holder = (uid: string) => ({ namespace: 'fleet', name: 'runners-a', uid });
const claim = (spec: object) => ({
  apiVersion: hostClaim.apiVersion,
  kind: 'HostClaim',
  metadata: { name },
  spec: { zone: 'fr-par-1', ...spec },
});

test('I13 a held claim cannot be pointed at a second machine', () => {
  const held = claim({ claimEpoch: 1, machineRef: holder('a') });
  const stolen = claim({ claimEpoch: 2, machineRef: { ...holder('b'), name: 'runners-b' } });
  assert.match(hostClaim.validate(stolen, held).problems[0]?.message ?? '', /the holder first releases/);
});

test('a claim can be released and then held by another machine in a later epoch', () => {
  const held = claim({ claimEpoch: 1, machineRef: holder('a') });
  const released = claim({ claimEpoch: 1 });
  const next = claim({ claimEpoch: 2, machineRef: { ...holder('b'), name: 'runners-b' } });
  assert.equal(hostClaim.validate(released, held).ok, true);
  assert.equal(hostClaim.validate(next, released).ok, true);
});

test('a claim follows its machine through clusterctl move, where the UID is new', () => {
  const before = claim({ claimEpoch: 1, machineRef: holder('a') });
  const moved = claim({ claimEpoch: 2, machineRef: holder('b') });
  assert.equal(hostClaim.validate(moved, before).ok, true);
});

test('a claim is moved by clusterctl though nothing owns it', () => {
  assert.equal(hostClaim.crd().metadata.labels['clusterctl.cluster.x-k8s.io/move'], '');
  assert.equal(hostClaim.crd().spec.scope, 'Cluster');
});
