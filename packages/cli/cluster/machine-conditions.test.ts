import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineConditions } from '@minifleet/api';
import { PHASES } from './machine-conditions.ts';

test('the phase conditions match the machine conditions of packages/api, in order', () => {
  const types = Object.keys(machineConditions);
  assert.deepEqual(PHASES, types.slice(0, types.indexOf('Ready')));
});
