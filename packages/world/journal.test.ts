import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createJournal } from './journal.ts';

test('journal: events have the time since the world started, and unmodelled calls are also listed as gaps', async () => {
  const clock = fakeClock();
  const journal = createJournal(clock);
  await clock.advance(seconds(2));
  journal.add('mac/mini-01', 'command', 'sw_vers');
  journal.unmodelled('mac/mini-01', 'pfctl -Q');
  assert.deepEqual(journal.entries, [
    { at: 2_000, place: 'mac/mini-01', what: 'command', detail: 'sw_vers' },
    { at: 2_000, place: 'mac/mini-01', what: 'not modelled', detail: 'pfctl -Q' },
  ]);
  assert.deepEqual(
    journal.gaps.map(({ detail }) => detail),
    ['pfctl -Q'],
  );
});
