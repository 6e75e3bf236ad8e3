import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { type LowDemand, nextScale } from './decide.ts';

const cooldown = minutes(5);

/** Replicas after each demand, a minute apart. */
function course(first: number, demands: readonly number[], bound = cooldown): readonly number[] {
  let replicas = first;
  let low: LowDemand | undefined;
  return demands.map((wanted, index) => {
    ({ replicas, low } = nextScale({ now: index * minutes(1), replicas, wanted, low, cooldown: bound }));
    return replicas;
  });
}

describe('scaling in time', () => {
  test('scale-up is immediate', () => assert.deepEqual(course(2, [9]), [9]));

  test('the first scale-down waits for the whole cooldown', () => {
    assert.deepEqual(course(10, [2, 2, 2, 2, 2, 2, 2]), [10, 10, 10, 10, 10, 2, 2]);
  });

  test('a rise in demand restarts the cooldown', () => {
    assert.deepEqual(course(4, [1, 1, 1, 4, 1, 1, 1, 1, 1, 1]), [4, 4, 4, 4, 4, 4, 4, 4, 4, 1]);
  });

  test('scale-down goes to the highest demand of the cooldown', () => {
    assert.deepEqual(course(10, [2, 6, 2, 2, 2, 2]).at(-1), 6);
  });

  test('the next scale-down waits for a new cooldown', () => {
    assert.deepEqual(course(9, [5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 1]), [9, 9, 9, 9, 9, 5, 5, 5, 5, 5, 5, 1]);
  });

  test('a cooldown of 0 scales down at once', () => assert.deepEqual(course(9, [3, 1], seconds(0)), [3, 1]));

  test('a pool scaled down by hand is not scaled up by an older demand', () => {
    const low = { since: 0, most: 6 };
    assert.equal(nextScale({ now: cooldown, replicas: 4, wanted: 2, low, cooldown }).replicas, 4);
  });

  test('a pool at its desired size keeps its replicas', () => assert.deepEqual(course(3, [3, 3]), [3, 3]));
});
