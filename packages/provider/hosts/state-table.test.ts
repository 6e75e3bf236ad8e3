import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HostState, hostStates, type MacHost, type MacHostStatus, macHost } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { stateOf } from './state-table.ts';

const now = Date.UTC(2030, 0, 1);
const at = timestamp(now);
const consumerRef = { apiGroup: 'g', kind: 'ScalewayAppleSiliconMachine', namespace: 'fleet', name: 'a', uid: '1' };
const requested = { requestTime: at };
const conditionsOf = (...types: readonly string[]): NonNullable<MacHostStatus['conditions']> =>
  types.map(type => ({ type, status: 'True', reason: type, message: '', lastTransitionTime: at }));

const host = (spec: object, status: MacHostStatus = {}): MacHost =>
  macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name: memoryId(1) },
    spec: { source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(1) } }, pool: 'pool-', ...spec },
    status,
  });
const held = (status: MacHostStatus = {}, spec: object = {}) => host({ consumerRef, claimEpoch: 1, ...spec }, status);
const quarantine = (until: number) => ({ quarantine: { since: at, until: timestamp(until), reasons: ['X'] } });

const rows: readonly (readonly [string, MacHost, HostState])[] = [
  ['a host without a consumer', host({}), 'Available'],
  ['a host whose quarantine is over', host({}, quarantine(now)), 'Available'],
  ['a host that failed too often', host({}, quarantine(now + 1_000)), 'Quarantined'],
  ['a host that an operator quarantined', host({ quarantine: { reason: 'x' } }), 'Quarantined'],
  ['a host whose machine has just claimed it', held(), 'Claimed'],
  ['a host whose name at the vendor shows the claim', held({ conditions: conditionsOf('NameMirrored') }), 'Claimed'],
  [
    'a host with credentials and the name of its machine',
    held({ conditions: conditionsOf('NameMirrored', 'CredentialsReady') }),
    'Bootstrapping',
  ],
  ['a host that the vendor is asked to restart', held({ remedies: { restart: requested } }), 'Restarting'],
  [
    'a host that the vendor restarts',
    held({
      conditions: conditionsOf('NameMirrored', 'CredentialsReady'),
      remedies: { restart: { ...requested, acceptedTime: at } },
    }),
    'Bootstrapping',
  ],
  [
    'a host whose restart the vendor refused',
    held({
      conditions: conditionsOf('NameMirrored', 'CredentialsReady'),
      remedies: { restart: { ...requested, refusal: 'no' } },
    }),
    'Bootstrapping',
  ],
  ['a host that the vendor is asked to reinstall', held({ remedies: { reinstall: requested } }), 'Reinstalling'],
  ['a host that was bootstrapped', held({ servedSince: at }), 'Serving'],
  [
    'a host in service that is quarantined later',
    held({ servedSince: at }, { quarantine: { reason: 'x' } }),
    'Serving',
  ],
  ['a host that its machine releases', held({ servedSince: at }, { release: 'Return' }), 'Releasing'],
  ['a host that is given up', held({ remedies: { giveUp: requested } }), 'Releasing'],
];

for (const [name, object, state] of rows)
  test(`${name} is ${state}`, () => assert.equal(stateOf(object, { now, listed: true }), state));

test('a host that the vendor no longer lists is Missing, held or not', () => {
  for (const object of [host({}), held({ servedSince: at })])
    assert.equal(stateOf(object, { now, listed: false }), 'Missing');
});

test('every state of the API is the state of some host', () => {
  const seen = new Set([...rows.map(([, , state]) => state), 'Missing']);
  assert.deepEqual([...seen].toSorted(), Object.keys(hostStates).toSorted());
});
