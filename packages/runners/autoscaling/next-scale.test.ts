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
  test('up is at once', () => assert.deepEqual(course(2, [9]), [9]));

  test('the first way down waits for the whole cooldown, too', () => {
    assert.deepEqual(course(10, [2, 2, 2, 2, 2, 2, 2]), [10, 10, 10, 10, 10, 2, 2]);
  });

  test('a demand that rises in between begins the wait anew', () => {
    assert.deepEqual(course(4, [1, 1, 1, 4, 1, 1, 1, 1, 1, 1]), [4, 4, 4, 4, 4, 4, 4, 4, 4, 1]);
  });

  test('down is to the most that was wanted meanwhile, not to what is wanted just now', () => {
    assert.deepEqual(course(10, [2, 6, 2, 2, 2, 2]).at(-1), 6);
  });

  test('after a way down the next one waits anew', () => {
    assert.deepEqual(course(9, [5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 1]), [9, 9, 9, 9, 9, 5, 5, 5, 5, 5, 5, 1]);
  });

  test('no cooldown is no wait', () => assert.deepEqual(course(9, [3, 1], seconds(0)), [3, 1]));

  test('what was scaled down by hand meanwhile is not scaled up again by an older demand', () => {
    const low = { since: 0, most: 6 };
    assert.equal(nextScale({ now: cooldown, replicas: 4, wanted: 2, low, cooldown }).replicas, 4);
  });

  test('what is as wanted stays', () => assert.deepEqual(course(3, [3, 3]), [3, 3]));
});
