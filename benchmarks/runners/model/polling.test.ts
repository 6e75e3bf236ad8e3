import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelPolling } from './polling.ts';

test('who looks every half minute fills a place after a quarter of one, and at worst after nearly a half', () => {
  assert.deepEqual(modelPolling(30), { p50: 15_000, p99: 29_700 });
});
