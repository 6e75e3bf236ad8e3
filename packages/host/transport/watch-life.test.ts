import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { startKeepalive } from './ssh-connection.ts';

function watched(answers: () => boolean) {
  const clock = fakeClock();
  const state = { received: 0, asked: 0, silent: false };
  const stop = startKeepalive(
    clock,
    { every: seconds(10), misses: 3 },
    {
      received: () => state.received,
      ask: () => {
        state.asked += 1;
        if (answers()) state.received += 1;
      },
      onSilent: () => {
        state.silent = true;
      },
    },
  );
  return { clock, state, stop };
}

test('a host that answers keepalives stays connected', async () => {
  const { clock, state } = watched(() => true);
  await clock.advance(seconds(600));
  assert.deepEqual([state.asked, state.silent], [60, false]);
});

test('a host that misses three keepalives is silent and gets no more', async () => {
  const { clock, state } = watched(() => false);
  await clock.advance(seconds(39));
  assert.deepEqual([state.asked, state.silent], [3, false]);
  await clock.advance(seconds(600));
  assert.deepEqual([state.asked, state.silent, clock.pending], [3, true, 0]);
});

test('any received data counts as a keepalive reply', async () => {
  const { clock, state } = watched(() => false);
  for (let minute = 0; minute < 20; minute++) {
    await clock.advance(seconds(25));
    state.received += 1;
  }
  assert.equal(state.silent, false);
});

test('a stopped keepalive sends nothing and leaves no timer', async () => {
  const { clock, state, stop } = watched(() => true);
  stop();
  await clock.advance(seconds(60));
  assert.deepEqual([state.asked, clock.pending], [0, 0]);
});
