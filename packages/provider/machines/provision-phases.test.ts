import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineConditions } from '@minifleet/api';
import { provisionPhases } from './reconcile-machine.ts';

test('every condition before Ready has one phase, in the order of the catalogue', () => {
  const types = Object.keys(machineConditions);
  assert.deepEqual(
    provisionPhases.map(({ condition }) => condition),
    types.slice(0, types.indexOf('Ready')),
  );
});
