import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineError } from '@minifleet/errors';
import { whenToRetry } from './outcome-lines.ts';

test('the retry time is rounded up to whole seconds', () => {
  const away = defineError('AWAY', { retry: 'backoff', reason: 'Away', text: 'it is away' })({});
  const lines = [0, 1, 29_900, 30_000, 88_001].map(wait => whenToRetry(away, 1_000 + wait, 1_000));
  assert.deepEqual(
    lines.map(line => line.replace('retry ', '')),
    ['now', 'in 1s', 'in 30s', 'in 30s', 'in 1m29s'],
  );
});
