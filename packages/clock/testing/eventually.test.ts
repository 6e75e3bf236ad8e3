import assert from 'node:assert/strict';
import { test } from 'node:test';
import { milliseconds } from '../duration.ts';
import { eventually, pollInterval } from './eventually.ts';

test('it returns the first value that is not empty', async () => {
  let asked = 0;
  const value = await eventually(() => (++asked >= 3 ? `asked ${asked} times` : undefined), {
    interval: milliseconds(1),
  });
  assert.equal(value, 'asked 3 times');
});

test('a condition that throws has not come true yet', async () => {
  let asked = 0;
  await eventually(
    async () => {
      asked += 1;
      assert.ok(asked > 2);
      return true;
    },
    { interval: milliseconds(1) },
  );
  assert.equal(asked, 3);
});

test('after the deadline the error shows the last value', async () => {
  const attempt = eventually(() => 0, { deadline: milliseconds(5), what: 'the number' });
  await assert.rejects(attempt, /^Error: the number did not come true within 5ms; the last value was 0$/);
});

test('after the deadline the error shows the last failure and keeps it as its cause', async () => {
  const failure = new Error('not yet');
  const attempt = eventually(() => Promise.reject(failure), { deadline: milliseconds(5) });
  await assert.rejects(attempt, (error: Error) => {
    assert.match(error.message, /the last failure was: not yet$/);
    assert.equal(error.cause, failure);
    return true;
  });
});

test('eventually checks less often the longer it waits', () => {
  assert.deepEqual([0, 100, 500, 1_000, 60_000].map(pollInterval), [10, 10, 50, 100, 100]);
});
