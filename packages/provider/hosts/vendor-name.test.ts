import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MacHost, macHost } from '@minifleet/api';
import { memoryId } from '@minifleet/vendors/testing';
import { poolName, retainedName, vendorNameState } from './vendor-name.ts';

const host = (originalName = 'pool-7'): MacHost =>
  macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name: memoryId(1) },
    spec: {
      source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(1) } },
      pool: 'pool-',
      claimEpoch: 1,
      originalName,
      consumerRef: {
        apiGroup: 'g',
        kind: 'ScalewayAppleSiliconMachine',
        namespace: 'fleet',
        name: 'runners-a',
        uid: '1',
      },
    },
  });

const rows = [
  ['the name of the consumer', 'runners-a', 'mirrored'],
  ['a name of the pool', 'pool-9', 'free'],
  ['the name before the claim', 'desk', 'free'],
  ['the name of a claim by the previous system', 'tuist-claim-pending-1', 'free'],
  ['the name of an interrupted release', 'retained-runners-a', 'free'],
  ['the name of a machine of another cluster', 'runners-b', 'foreign'],
] as const;

for (const [what, name, state] of rows)
  test(`a server with ${what} is ${state}`, () => assert.equal(vendorNameState(name, host('desk')), state));

test('a host returns to its pool under its original name, or under its server id', () => {
  assert.equal(poolName(host('pool-7')), 'pool-7');
  assert.equal(poolName(host('desk')), 'pool-5e70e700');
});

test('the name of a retained host is in no pool and names its last machine', () => {
  assert.equal(retainedName(host()), 'retained-runners-a');
});
