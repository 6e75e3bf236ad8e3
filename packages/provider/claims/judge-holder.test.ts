import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { judgeHolder } from './judge-holder.ts';

const machineRef = { namespace: 'fleet', name: 'a', uid: '1' };
const claim = (spec: Partial<HostClaim['spec']> = {}): HostClaim => ({
  apiVersion: '',
  kind: 'HostClaim',
  metadata: { name: 'host' },
  spec: { zone: 'fr-par-1', claimEpoch: 2, clusterID: 'here', machineRef, ...spec },
});
const samm = (uid = '1', claimRef?: { name: string; epoch: number }, namespace = 'fleet') =>
  ({
    metadata: { namespace, name: 'a', uid },
    spec: claimRef ? { claimRef } : {},
  }) as ScalewayAppleSiliconMachine;
const noted = { name: 'host', epoch: 2 };
const { machineRef: _, ...unheld } = claim().spec;

const table: readonly (readonly [string, HostClaim | undefined, ScalewayAppleSiliconMachine, string])[] = [
  ['the claim names the machine', claim(), samm('1', noted), 'held'],
  ['the machine has not written it down yet', claim(), samm('1'), 'held'],
  ['the machine wrote down an earlier epoch', claim({ claimEpoch: 3 }), samm('1', noted), 'later'],
  ['the claim is gone', undefined, samm('1', noted), 'ClaimLost'],
  ['nobody holds the claim', { ...claim(), spec: unheld }, samm('1', noted), 'ClaimLost'],
  [
    'I13 another machine holds it',
    claim({ machineRef: { ...machineRef, name: 'b' } }),
    samm('1', noted),
    'ClaimConflict',
  ],
  ['a machine of this name in another namespace holds it', claim(), samm('1', noted, 'other'), 'ClaimConflict'],
  ['it came here by clusterctl move', claim({ clusterID: 'there' }), samm('2', noted), 'moved'],
  ['it was moved before the machine could write it down', claim({ clusterID: 'there' }), samm('2'), 'moved'],
  ['it was moved away and came back', claim(), samm('2', noted), 'moved'],
  ['an earlier machine of this name holds it', claim(), samm('2'), 'ClaimConflict'],
  ['both were restored here from a backup of a cluster', claim({ clusterID: 'there' }), samm('1', noted), 'ClaimLost'],
];
for (const [when, seen, machine, expected] of table) {
  test(`${expected} when ${when}`, () => {
    const holding = judgeHolder(seen, machine, 'here');
    assert.equal(holding.kind === 'not held' ? holding.reason : holding.kind, expected);
  });
}

test('I13 the machine is told who has the host', () => {
  const holding = judgeHolder(claim({ machineRef: { ...machineRef, name: 'b' } }), samm('1', noted), 'here');
  assert.match(holding.kind === 'not held' ? holding.why : '', /held by fleet\/b$/);
});
