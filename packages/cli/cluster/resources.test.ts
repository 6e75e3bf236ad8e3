import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostClaim, runnerPool, scalewayAppleSiliconMachine } from '@minifleet/api';
import { hostClaims, machines, runnerPools } from './resources.ts';

test('the resources of the command line match packages/api', () => {
  assert.deepEqual(machines, scalewayAppleSiliconMachine.resource);
  assert.deepEqual(hostClaims, hostClaim.resource);
  assert.deepEqual(runnerPools, runnerPool.resource);
});
