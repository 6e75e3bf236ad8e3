import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf } from './growth.ts';

test('growth is 1 for a constant cost per machine, and 2 for a doubled one', () => {
  assert.equal(growthOf([5, 9, 5]), 1);
  assert.equal(growthOf([5, 10]), 2);
});
