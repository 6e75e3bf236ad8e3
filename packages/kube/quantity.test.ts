import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuantity, quantityOr } from './quantity.ts';

const table: readonly (readonly [string | number, number])[] = [
  [2, 2],
  ['500m', 0.5],
  ['14Gi', 14 * 2 ** 30],
  ['1e3', 1_000],
  ['2M', 2_000_000],
];
for (const [text, number] of table) {
  test(`the quantity ${text} is ${number}`, () => assert.equal(parseQuantity(text), number));
}

test('an invalid quantity throws with its text, and a missing one has the given default', () => {
  assert.throws(() => parseQuantity('lots'), /"lots" is not a quantity/);
  assert.equal(quantityOr(undefined, 7), 7);
});
