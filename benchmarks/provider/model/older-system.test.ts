import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOlderSystem } from './older-system.ts';

test('four workers, each held by one host after the other; a list of servers for each claim', () => {
  assert.deepEqual(modelOlderSystem(9, 10), { seconds: 30, vendorLists: 9 });
  assert.deepEqual(modelOlderSystem(400, 10), { seconds: 1_000, vendorLists: 400 });
});
