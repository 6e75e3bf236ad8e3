import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macHost } from './mac-host.ts';
import { hostConditions } from './mac-host-conditions.ts';
import { machineConditions } from './machine-conditions.ts';

const id = '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11';
const consumer = (uid: string, name = 'runners-a') => ({
  apiGroup: 'infrastructure.cluster.x-k8s.io',
  kind: 'ScalewayAppleSiliconMachine',
  namespace: 'fleet',
  name,
  uid,
});
const host = (spec: object) => ({
  apiVersion: macHost.apiVersion,
  kind: 'MacHost',
  metadata: { name: id },
  spec: { source: { scaleway: { zone: 'fr-par-1', serverID: id } }, pool: 'tuist-pool-', ...spec },
});
const problems = (object: object, old?: object): string =>
  macHost
    .validate(object, old)
    .problems.map(({ message }) => message)
    .join('; ');

test('I13 a held MacHost cannot be given to a second machine', () => {
  const held = host({ claimEpoch: 1, consumerRef: consumer('a') });
  const stolen = host({ claimEpoch: 2, consumerRef: consumer('b', 'runners-b') });
  assert.match(problems(stolen, held), /the host is released first/);
});

test('a MacHost can be released and then claimed by another machine in a later epoch', () => {
  const held = host({ claimEpoch: 1, consumerRef: consumer('a') });
  const released = host({ claimEpoch: 1 });
  const next = host({ claimEpoch: 2, consumerRef: consumer('b', 'runners-b') });
  assert.equal(problems(released, held), '');
  assert.equal(problems(next, released), '');
  assert.match(problems(host({ claimEpoch: 1, consumerRef: consumer('b', 'runners-b') }), released), /new claimEpoch/);
});

test('a MacHost follows its machine through clusterctl move, where the UID is new', () => {
  const before = host({ claimEpoch: 1, consumerRef: consumer('a') });
  assert.equal(problems(host({ claimEpoch: 2, consumerRef: consumer('b') }), before), '');
});

test('a release without the desired configuration of the machine is one write', () => {
  const held = host({ claimEpoch: 1, consumerRef: consumer('a'), clusterID: 'c', release: 'Return' });
  assert.match(problems(host({ claimEpoch: 1, release: 'Return' }), held), /remove them together with consumerRef/);
});

test('a MacHost without a claim needs only its source and pool', () => {
  assert.equal(problems(host({})), '');
  assert.equal(macHost.withDefaults(host({})).spec.claimEpoch, 0);
});

test('the name of a rented MacHost is its server id', () => {
  const renamed = { ...host({}), metadata: { name: 'mini-1' } };
  assert.match(problems(renamed), /must be its serverID, because the name is the lock/);
});

test('an owned Mac needs only an address and a user, and can move to another address', () => {
  const desk = (address: string) => ({
    ...host({}),
    metadata: { name: 'mini-01' },
    spec: { source: { owned: { address, user: 'admin' } }, pool: 'desk' },
  });
  assert.equal(problems(desk('192.0.2.12'), desk('192.0.2.11')), '');
  assert.match(problems(desk('admin@192.0.2.11')), /without user and port/);
});

test('conditions that the machine copies have the reasons of the machine', () => {
  for (const type of ['OSImageCurrent', 'CredentialsReady', 'HostBootstrapped', 'LocalNetworkGranted'] as const)
    assert.equal(hostConditions[type], machineConditions[type]);
});

test('a MacHost is moved by clusterctl though nothing owns it', () => {
  const { metadata, spec } = macHost.crd();
  assert.equal(metadata.labels['clusterctl.cluster.x-k8s.io/move'], '');
  assert.equal(spec.scope, 'Cluster');
});
