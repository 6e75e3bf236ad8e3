import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetSeen, wrongAtRest, wrongNow } from './invariants.ts';

type Claim = FleetSeen['claims'][number];
type Machine = FleetSeen['machines'][number];

const fine: FleetSeen = {
  servers: [
    { id: 'one', name: 'a', state: 'ready' },
    { id: 'two', name: 'tuist-pool-2', state: 'ready' },
  ],
  claims: [claim('one', 'a')],
  machines: [machine('a', 'one')],
  nodes: [node('a', 'id-1')],
  tokens: [],
  taken: [{ host: 'one', forMachine: 'fleet/a', heldBy: 'fleet/a' }],
  guests: [{ running: true }],
};

function claim(name: string, holder?: string, aside = false): Claim {
  const spec = {
    ...(holder === undefined ? {} : { machineRef: { namespace: 'fleet', name: holder, uid: `uid-${holder}` } }),
    ...(aside ? { quarantine: { reason: 'kept' } } : {}),
  };
  return { metadata: { name }, spec } as unknown as Claim;
}

function machine(name: string, host?: string): Machine {
  const spec = host === undefined ? {} : { claimRef: { name: host, epoch: 1 } };
  return { metadata: { name, uid: `uid-${name}` }, spec } as unknown as Machine;
}

function node(name: string, providerID: string): FleetSeen['nodes'][number] {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID } };
}

const WRONG: Readonly<Record<string, Partial<FleetSeen>>> = {
  'the host one is called a and nobody’s': { claims: [claim('one')] },
  'two machines name the host one': { machines: [machine('a', 'one'), machine('b', 'one')] },
  'two Nodes carry id-1': { nodes: [node('a', 'id-1'), node('b', 'id-1')] },
  'one was changed for fleet/b while fleet/a held it': {
    taken: [{ host: 'one', forMachine: 'fleet/b', heldBy: 'fleet/a' }],
  },
  'one was changed for fleet/a while nobody held it': {
    taken: [{ host: 'one', forMachine: 'fleet/a', heldBy: undefined }],
  },
  'a VM was ended': { guests: [{ running: false }] },
};

const WRONG_AT_REST: Readonly<Record<string, Partial<FleetSeen>>> = {
  'uid-a holds two hosts': { claims: [claim('one', 'a'), claim('two', 'a')] },
  'two is held by b, which is gone': { claims: [claim('one', 'a'), claim('two', 'b')] },
  'the Node b has no machine': { nodes: [node('a', 'id-1'), node('b', 'id-2')] },
  'the token bootstrap-token-x is left': {
    tokens: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bootstrap-token-x' } }],
  },
};

test('nothing is wrong with a fleet of one machine on its host', () => {
  assert.deepEqual([...wrongNow(fine), ...wrongAtRest(fine)], []);
});

test('a quarantined host may have any name', () => {
  assert.deepEqual(wrongNow({ ...fine, claims: [claim('one', undefined, true)] }), []);
});

for (const [words, change] of Object.entries(WRONG))
  test(`wrong at any moment: ${words}`, () => assert.deepEqual(wrongNow({ ...fine, ...change }), [words]));

for (const [words, change] of Object.entries(WRONG_AT_REST))
  test(`wrong at rest: ${words}`, () => {
    assert.deepEqual(wrongNow({ ...fine, ...change }), []);
    assert.deepEqual(wrongAtRest({ ...fine, ...change }), [words]);
  });
