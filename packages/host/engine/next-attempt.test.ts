import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { nextAttempt } from './next-attempt.ts';

test('an error says by its class when trying again makes sense', () => {
  const clock = fakeClock({ now: 0 });
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 100].map(failures => nextAttempt('backoff', failures, clock)),
    [30, 60, 120, 240, 480, 600, 600].map(seconds),
  );
  assert.equal(nextAttempt({ after: minutes(5) }, 9, clock), minutes(5));
  assert.equal(nextAttempt('operator', 1, clock), undefined);
  assert.equal(nextAttempt('untilSpecChanges', 1, clock), undefined);
});
