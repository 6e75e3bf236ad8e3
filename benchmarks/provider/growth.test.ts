import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf } from './growth.ts';

test('a cost per machine that stays grows by 1; one that doubles, by 2', () => {
  assert.equal(growthOf([5, 9, 5]), 1);
  assert.equal(growthOf([5, 10]), 2);
});
