import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetSnapshot, violationsAtRest, violationsNow } from './invariants.ts';

type SnapshotClaim = FleetSnapshot['claims'][number];
type SnapshotMachine = FleetSnapshot['machines'][number];

const healthy: FleetSnapshot = {
  servers: [
    { id: 'one', name: 'a', state: 'ready' },
    { id: 'two', name: 'tuist-pool-2', state: 'ready' },
  ],
  claims: [claim('one', 'a')],
  machines: [machine('a', 'one')],
  nodes: [node('a', 'id-1')],
  tokens: [],
  leaseAcquisitions: [{ host: 'one', forMachine: 'fleet/a', heldBy: 'fleet/a' }],
  guests: [{ running: true }],
};

function claim(name: string, holder?: string, quarantined = false): SnapshotClaim {
  const spec = {
    ...(holder === undefined ? {} : { machineRef: { namespace: 'fleet', name: holder, uid: `uid-${holder}` } }),
    ...(quarantined ? { quarantine: { reason: 'kept' } } : {}),
  };
  return { metadata: { name }, spec } as unknown as SnapshotClaim;
}

function machine(name: string, host?: string): SnapshotMachine {
  const spec = host === undefined ? {} : { claimRef: { name: host, epoch: 1 } };
  return { metadata: { name, uid: `uid-${name}` }, spec } as unknown as SnapshotMachine;
}

function node(name: string, providerID: string): FleetSnapshot['nodes'][number] {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID } };
}

const VIOLATIONS: Readonly<Record<string, Partial<FleetSnapshot>>> = {
  'host one has the name a and no owner': { claims: [claim('one')] },
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
  'uid-a holds two hosts': { claims: [claim('one', 'a'), claim('two', 'a')] },
  'two is held by the deleted machine b': { claims: [claim('one', 'a'), claim('two', 'b')] },
  'Node b has no machine': { nodes: [node('a', 'id-1'), node('b', 'id-2')] },
  'bootstrap token bootstrap-token-x is left': {
    tokens: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bootstrap-token-x' } }],
  },
};

test('a fleet of one machine on its host violates no invariant', () => {
  assert.deepEqual([...violationsNow(healthy), ...violationsAtRest(healthy)], []);
});

test('a quarantined host may have any name without violating an invariant', () => {
  assert.deepEqual(violationsNow({ ...healthy, claims: [claim('one', undefined, true)] }), []);
});

for (const [violation, change] of Object.entries(VIOLATIONS))
  test(`fleet invariant violated at any time: ${violation}`, () =>
    assert.deepEqual(violationsNow({ ...healthy, ...change }), [violation]));

for (const [violation, change] of Object.entries(VIOLATIONS_AT_REST))
  test(`fleet invariant violated at rest: ${violation}`, () => {
    assert.deepEqual(violationsNow({ ...healthy, ...change }), []);
    assert.deepEqual(violationsAtRest({ ...healthy, ...change }), [violation]);
  });
