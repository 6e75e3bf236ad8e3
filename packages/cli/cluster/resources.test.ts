import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macHost, macMachine, runnerPool, scalewayAppleSiliconMachine } from '@minifleet/api';
import { macHosts, machines, macMachines, runnerPools } from './resources.ts';

test('the resources of the command line match packages/api', () => {
  assert.deepEqual(machines, scalewayAppleSiliconMachine.resource);
  assert.deepEqual(macMachines, macMachine.resource);
  assert.deepEqual(macHosts, macHost.resource);
  assert.deepEqual(runnerPools, runnerPool.resource);
});
