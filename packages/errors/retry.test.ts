import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { defineError } from './define-error.ts';
import { needsOperator, retryDelay, withReason } from './retry.ts';

const error = (retry: Parameters<typeof defineError>[1]['retry']) =>
  defineError('TEST_FAILED', { retry, reason: 'Failed', text: 'it failed' })();
const policy = { first: seconds(5), most: minutes(5) };

test('retryDelay doubles from the first failure on for an error that backs off', () => {
  const delays = [1, 2, 3, 20].map(failures => retryDelay(error('backoff'), failures, policy));
  assert.deepEqual(delays, [seconds(5), seconds(10), seconds(20), minutes(5)]);
});

test('retryDelay backs off for an error outside the catalogue', () => {
  assert.equal(retryDelay(new TypeError('x'), 1, policy), seconds(5));
  assert.equal(retryDelay('thrown text', 0, policy), seconds(5));
});

test('retryDelay is the time that an error asks for', () => {
  assert.equal(retryDelay(error({ after: minutes(7) }), 9, policy), minutes(7));
});

test('retryDelay is undefined if only an operator or a new spec can help', () => {
  assert.equal(retryDelay(error('operator'), 1, policy), undefined);
  assert.equal(retryDelay(error('untilSpecChanges'), 1, policy), undefined);
});

test('needsOperator is true for operator and untilSpecChanges only', () => {
  const errors = [error('operator'), error('untilSpecChanges'), error('backoff'), error({ after: seconds(1) }), 'text'];
  assert.deepEqual(errors.map(needsOperator), [true, true, false, false, false]);
});

test('withReason keeps code and message, and the first error as its cause', () => {
  const first = error('operator');
  const second = withReason(first, 'GitHubUnavailable', { retry: { after: minutes(5) } });
  assert.deepEqual([second.code, second.reason, second.message], ['TEST_FAILED', 'GitHubUnavailable', 'it failed']);
  assert.deepEqual([second.retry, second.cause], [{ after: minutes(5) }, first]);
  assert.equal(withReason(first, 'X', { message: 'acme: it failed' }).message, 'acme: it failed');
});
