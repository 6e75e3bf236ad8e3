import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostClaim, runnerPool, scalewayAppleSiliconMachine } from '@minifleet/api';
import { hostClaims, machines, runnerPools } from './resources.ts';

test('commands read our kinds where packages/api has them', () => {
  assert.deepEqual(machines, scalewayAppleSiliconMachine.resource);
  assert.deepEqual(hostClaims, hostClaim.resource);
  assert.deepEqual(runnerPools, runnerPool.resource);
});
