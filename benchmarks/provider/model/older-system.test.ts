import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOlderSystem } from './older-system.ts';

test('the older system uses four workers, each for one host at a time, and one server list per claim', () => {
  assert.deepEqual(modelOlderSystem(9, 10), { seconds: 30, vendorLists: 9 });
  assert.deepEqual(modelOlderSystem(400, 10), { seconds: 1_000, vendorLists: 400 });
});
