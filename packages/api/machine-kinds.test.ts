import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macMachine } from './kinds/mac-machine.ts';
import { scalewayAppleSiliconMachine } from './kinds/scaleway-apple-silicon-machine.ts';
import { clusterKinds, type InfraMachine, machineKindOf, machineKinds, poolOf, zoneOf } from './machine-kinds.ts';

const metadata = { name: 'runners-a', namespace: 'fleet' };
const mac = (spec: object = {}) => macMachine.withDefaults({ apiVersion: 'x/v1', kind: 'MacMachine', metadata, spec });
const scaleway = (spec: object = {}) =>
  scalewayAppleSiliconMachine.withDefaults({ apiVersion: 'x/v1', kind: 'ScalewayAppleSiliconMachine', metadata, spec });
const group = 'infrastructure.cluster.x-k8s.io';

test('a kind of machine is found by a reference, an owner reference and an object', () => {
  for (const { resource } of machineKinds) {
    const { kind } = resource;
    assert.equal(machineKindOf({ apiGroup: group, kind })?.resource, resource);
    assert.equal(machineKindOf({ apiVersion: `${group}/v1alpha1`, kind })?.resource, resource);
  }
  assert.equal(machineKindOf({ apiGroup: 'cluster.x-k8s.io', kind: 'MacMachine' }), undefined);
  assert.equal(machineKindOf({ apiGroup: group, kind: 'Metal3Machine' }), undefined);
  assert.equal(machineKindOf({}), undefined);
});

test('each kind has its own finalizer', () => {
  const finalizers = [...machineKinds, ...clusterKinds].map(({ finalizer }) => finalizer);
  assert.equal(new Set(finalizers).size, finalizers.length);
});

test('the pool of a machine is that of its spec, else that of the provider', () => {
  assert.equal(poolOf(mac({ pool: 'desk' }), 'tuist-pool-'), 'desk');
  assert.equal(poolOf(mac(), 'tuist-pool-'), 'tuist-pool-');
  assert.equal(poolOf(scaleway({ adoptPoolPrefix: 'eu-' }), 'tuist-pool-'), 'eu-');
  assert.equal(poolOf(scaleway({ adoptPoolPrefix: '' }), 'tuist-pool-'), 'tuist-pool-');
  assert.equal(poolOf(scaleway(), ''), '');
});

test('only a ScalewayAppleSiliconMachine needs a host in a zone', () => {
  assert.equal(zoneOf(scaleway()), 'fr-par-1');
  assert.equal(zoneOf(mac({ pool: 'desk' })), undefined);
});

test('the shared fields of both kinds are read without narrowing', () => {
  const spec = { fleetName: 'runners', hostCPU: 8, hostMemoryMB: 14336, claimRef: { name: 'mini-01', epoch: 1 } };
  const machines: readonly InfraMachine[] = [mac(spec), scaleway(spec)];
  for (const machine of machines) {
    const { fleetName, hostCPU, hostMemoryMB, claimRef, hostRelease, providerID, ghActionsRunner } = machine.spec;
    assert.deepEqual({ fleetName, hostCPU, hostMemoryMB, claimRef }, spec);
    assert.deepEqual([hostRelease, providerID, ghActionsRunner], ['Return', undefined, undefined]);
    assert.equal(machine.status?.currentStep, undefined);
  }
});
