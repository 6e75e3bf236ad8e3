import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetSnapshot, violationsAtRest, violationsNow } from './invariants.ts';

type SnapshotHost = FleetSnapshot['hosts'][number];
type SnapshotMachine = FleetSnapshot['machines'][number];

const healthy: FleetSnapshot = {
  servers: [
    { id: 'one', name: 'a', state: 'ready' },
    { id: 'two', name: 'tuist-pool-2', state: 'ready' },
  ],
  hosts: [host('one', 'a')],
  machines: [machine('a', 'one')],
  nodes: [node('a', 'id-1')],
  tokens: [],
  leaseAcquisitions: [{ host: 'one', forMachine: 'fleet/a', heldBy: 'fleet/a' }],
  guests: [{ running: true }],
};

function host(name: string, consumer?: string, quarantined = false): SnapshotHost {
  const spec = {
    ...(consumer === undefined ? {} : { consumerRef: { namespace: 'fleet', name: consumer, uid: `uid-${consumer}` } }),
    ...(quarantined ? { quarantine: { reason: 'kept' } } : {}),
  };
  return { metadata: { name }, spec } as unknown as SnapshotHost;
}

function machine(name: string, held?: string): SnapshotMachine {
  const spec = held === undefined ? {} : { claimRef: { name: held, epoch: 1 } };
  return { metadata: { name, uid: `uid-${name}` }, spec } as unknown as SnapshotMachine;
}

function node(name: string, providerID: string): FleetSnapshot['nodes'][number] {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID } };
}

const VIOLATIONS: Readonly<Record<string, Partial<FleetSnapshot>>> = {
  'host one has the name a and no owner': { hosts: [host('one')] },
  'two machines reference the host one': { machines: [machine('a', 'one'), machine('b', 'one')] },
  'two Nodes have the providerID id-1': { nodes: [node('a', 'id-1'), node('b', 'id-1')] },
  'one was changed for fleet/b while fleet/a held it': {
    leaseAcquisitions: [{ host: 'one', forMachine: 'fleet/b', heldBy: 'fleet/a' }],
  },
  'one was changed for fleet/a while no machine held it': {
    leaseAcquisitions: [{ host: 'one', forMachine: 'fleet/a', heldBy: undefined }],
  },
  'a VM was stopped': { guests: [{ running: false }] },
};

const VIOLATIONS_AT_REST: Readonly<Record<string, Partial<FleetSnapshot>>> = {
  'uid-a holds two hosts': { hosts: [host('one', 'a'), host('two', 'a')] },
  'two is held by the deleted machine b': { hosts: [host('one', 'a'), host('two', 'b')] },
  'Node b has no machine': { nodes: [node('a', 'id-1'), node('b', 'id-2')] },
  'bootstrap token bootstrap-token-x is left': {
    tokens: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bootstrap-token-x' } }],
  },
};

test('a fleet of one machine on its host violates no invariant', () => {
  assert.deepEqual([...violationsNow(healthy), ...violationsAtRest(healthy)], []);
});

test('a quarantined host may have any name without violating an invariant', () => {
  assert.deepEqual(violationsNow({ ...healthy, hosts: [host('one', undefined, true)] }), []);
});

for (const [violation, change] of Object.entries(VIOLATIONS))
  test(`fleet invariant violated at any time: ${violation}`, () =>
    assert.deepEqual(violationsNow({ ...healthy, ...change }), [violation]));

for (const [violation, change] of Object.entries(VIOLATIONS_AT_REST))
  test(`fleet invariant violated at rest: ${violation}`, () => {
    assert.deepEqual(violationsNow({ ...healthy, ...change }), []);
    assert.deepEqual(violationsAtRest({ ...healthy, ...change }), [violation]);
  });
