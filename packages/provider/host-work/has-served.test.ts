import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { forgetServed, hasServed, noteServed } from './has-served.ts';

const machineOn = (host: string | undefined): ScalewayAppleSiliconMachine => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'ScalewayAppleSiliconMachine',
  metadata: { name: 'mini', namespace: 'default', annotations: { theirs: 'stays' } },
  spec: {
    type: 'M2-L',
    zone: 'fr-par-1',
    os: 'Tahoe',
    hostRelease: 'Return',
    ...(host === undefined ? {} : { claimRef: { name: host } }),
  },
});

test('what a host once was is known without any status, as clusterctl moves a machine', () => {
  const samm = machineOn('server-1');
  assert.equal(hasServed(samm), false);
  noteServed(samm);
  assert.equal(hasServed({ ...samm, status: {} }), true);
});

test('it is said of one host: the next one of the machine has yet to serve', () => {
  const samm = machineOn('server-1');
  noteServed(samm);
  samm.spec.claimRef = { name: 'server-2' };
  assert.equal(hasServed(samm), false);
  forgetServed(samm);
  assert.deepEqual(samm.metadata.annotations, { theirs: 'stays' });
});

test('a machine without a host has served with none', () => {
  const samm = machineOn(undefined);
  noteServed(samm);
  assert.equal(hasServed(samm), false);
  assert.deepEqual(samm.metadata.annotations, { theirs: 'stays' });
});
