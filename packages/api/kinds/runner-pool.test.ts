import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerPool } from './runner-pool.ts';

const pool = (spec: object) => ({
  apiVersion: 'tuist.dev/v1alpha1',
  kind: 'RunnerPool',
  metadata: { name: 'macos-26', namespace: 'tuist-runners' },
  spec: { ...structuredClone(runnerPool.example.spec), ...spec },
});

test('a pool has the defaults that the older system had', () => {
  const { spec } = runnerPool.withDefaults(pool({}));
  assert.deepEqual([spec.replicas, spec.os, spec.podCPUMilli, spec.podMemoryMB], [0, 'darwin', 4000, 7168]);
  assert.deepEqual(spec.autoscaling, {
    enabled: false,
    minWarmPoolFloor: 1,
    maxReplicas: 0,
    scaleDownCooldownSeconds: 300,
  });
  assert.deepEqual([spec.provisioning.startTimeoutSeconds, spec.rollout.maxConcurrentPercent], [300, 5]);
});

test('an explicit zero stays zero and is not replaced by the default', () => {
  const zeros = {
    autoscaling: { minWarmPoolFloor: 0, scaleDownCooldownSeconds: 0 },
    provisioning: { startTimeoutSeconds: 0 },
  };
  const { spec } = runnerPool.withDefaults(pool(zeros));
  assert.deepEqual(
    [
      spec.autoscaling.minWarmPoolFloor,
      spec.autoscaling.scaleDownCooldownSeconds,
      spec.provisioning.startTimeoutSeconds,
    ],
    [0, 0, 0],
  );
});

test('a RunnerPool of the previous system without forge is valid', () => {
  assert.ok(runnerPool.validate(pool({ forge: undefined })).ok);
});

test('a pool without what every runner needs is refused', () => {
  for (const field of ['image', 'fleetSelector', 'dispatchLabel', 'runnerLabels'])
    assert.ok(!runnerPool.validate(pool({ [field]: undefined })).ok, field);
  assert.ok(!runnerPool.validate(pool({ runnerLabels: [] })).ok);
});

test('kubectl scale finds the replicas of a RunnerPool', () => {
  assert.deepEqual(runnerPool.crd().spec.versions[0]?.subresources, {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  });
});
