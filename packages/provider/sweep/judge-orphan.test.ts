import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HostClaim, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import type { Cluster } from '../cluster-api/kinds.ts';
import { judgeOrphan, type OrphanVerdict, type OrphanView } from './judge-orphan.ts';

const taken = Date.UTC(2030, 0, 2);
const day = 86_400_000;
const claim = (spec: Partial<HostClaim['spec']> = {}, metadata: Partial<HostClaim['metadata']> = {}): HostClaim => ({
  apiVersion: '',
  kind: 'HostClaim',
  metadata: { name: memoryId(1), annotations: { [names.annotations.heldSince]: timestamp(taken) }, ...metadata },
  spec: {
    zone: 'fr-par-1',
    claimEpoch: 1,
    clusterID: 'here',
    poolPrefix: 'tuist-pool-',
    originalName: 'tuist-pool-1',
    machineRef: { namespace: 'fleet', name: 'a', uid: '1' },
    ...spec,
  },
});
const { machineRef: _, ...unheld } = claim().spec;
const machine = (uid: string, claimRef?: string) =>
  ({
    metadata: { namespace: 'fleet', name: 'a', uid },
    spec: claimRef === undefined ? {} : { claimRef: { name: claimRef, epoch: 1 } },
  }) as ScalewayAppleSiliconMachine;
const cluster = (created: number, paused = false) =>
  ({ metadata: { creationTimestamp: timestamp(created) }, spec: { paused } }) as Cluster;
const named = (name: string) => memoryServer(1, { name });

/** A machine deleted by force: its Cluster lives, its host bears its name. */
const orphan: OrphanView = {
  claim: claim(),
  machine: undefined,
  cluster: cluster(taken - day),
  server: named('a'),
  clusterId: 'here',
};

const table: readonly (readonly [string, Partial<OrphanView>, OrphanVerdict])[] = [
  ['I22 its machine was deleted by force', {}, 'return'],
  ['the rename never came to the vendor', { server: named('tuist-pool-1') }, 'return'],
  ['a new machine of the same name was made', { machine: machine('2') }, 'return'],
  ['its machine exists', { machine: machine('1') }, 'held'],
  ['its machine came back from clusterctl move', { machine: machine('2', memoryId(1)) }, 'held'],
  [
    'its machine exists, and the vendor does not know the host',
    { machine: machine('1'), server: undefined },
    'vanished',
  ],
  ['machine and Cluster are gone: they were moved', { cluster: undefined }, 'left behind'],
  ['the Cluster is paused: it is being moved', { cluster: cluster(taken - day, true) }, 'left behind'],
  ['a Cluster of that name was made later', { cluster: cluster(taken + day) }, 'left behind'],
  ['nothing says since when it is held', { claim: claim({}, { annotations: {} }) }, 'left behind'],
  [
    'it was left behind, and a person deletes it',
    { cluster: undefined, claim: claim({}, { deletionTimestamp: timestamp(taken) }) },
    'let go',
  ],
  ['another cluster holds it', { claim: claim({ clusterID: 'there' }) }, 'elsewhere'],
  ['nobody holds it', { claim: { ...claim(), spec: unheld } }, 'unheld'],
  ['somebody else renamed the host', { server: named('theirs') }, 'let go'],
  ['machine and host are both gone', { server: undefined }, 'let go'],
];
for (const [when, view, verdict] of table) {
  test(`${verdict}: ${when}`, () => assert.equal(judgeOrphan({ ...orphan, ...view }), verdict));
}
