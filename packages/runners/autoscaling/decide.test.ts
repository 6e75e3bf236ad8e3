import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmDeficit } from './decide.ts';

/** Load, floor, target, allocated, and what is missing. */
const table: readonly (readonly [number, number, number, number, number])[] = [
  [17, 30, 60, 60, 0],
  [17, 30, 60, 26, 21],
  [17, 30, 60, 10, 30],
  [17, 30, 60, 47, 0],
  [5, 0, 5, 5, 0],
  [0, 30, 10, 4, 6],
  [-3, 5, 5, 5, 0],
];
for (const [load, floor, target, allocated, missing] of table) {
  test(`warm runner deficit: load ${load}, floor ${floor}, target ${target}, ${allocated} allocated gives ${missing}`, () => {
    assert.equal(warmDeficit({ load, floor, target, allocated }), missing);
  });
}
