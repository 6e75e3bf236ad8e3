import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelPolling } from './polling.ts';

test('polling every 30 s fills a free slot after 15 s at p50 and 29.7 s at p99', () => {
  assert.deepEqual(modelPolling(30), { p50: 15_000, p99: 29_700 });
});
