import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineConditions } from '@minifleet/api';
import { PHASES } from './machine-conditions.ts';

test('every phase of a machine can be what holds it up, in the order in which they come', () => {
  const types = Object.keys(machineConditions);
  assert.deepEqual(PHASES, types.slice(0, types.indexOf('Ready')));
});
