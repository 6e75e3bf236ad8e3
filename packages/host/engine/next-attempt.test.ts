import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { defineError, type Retry } from '@minifleet/errors';
import { nextAttempt } from './report.ts';

const failed = (retry: Retry) => defineError('FAILED', { retry, reason: 'Failed', text: 'failed' })();

test('the next attempt of a step follows the retry rule of its error', () => {
  const clock = fakeClock({ now: 0 });
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 100].map(failures => nextAttempt(failed('backoff'), failures, clock)),
    [seconds(30), minutes(1), minutes(2), minutes(4), minutes(8), minutes(10), minutes(10)],
  );
  assert.equal(nextAttempt(failed({ after: minutes(5) }), 9, clock), minutes(5));
  assert.equal(nextAttempt(failed('operator'), 1, clock), undefined);
  assert.equal(nextAttempt(failed('untilSpecChanges'), 1, clock), undefined);
});
