import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { createJournal } from './journal.ts';

test('what happened is kept with its time since the world began, and what was not modelled is kept apart, too', async () => {
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
