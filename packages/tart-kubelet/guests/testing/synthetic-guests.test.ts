import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import type { GuestSpec } from '../guest.ts';
import { createSyntheticGuests, type SyntheticGuests, type SyntheticRun } from './synthetic-guests.ts';

const id = { uid: '8f14e45f-ceea-467f-a0e6-000000000001', attempt: 0 };
const spec: GuestSpec = {
  id,
  pod: 'default/a',
  image: 'registry.example/macos@sha256:abc',
  shares: [],
  freshIdentity: true,
  logFile: '/nowhere',
  bootWithin: seconds(60),
};

async function started(
  run: SyntheticRun = {},
): Promise<{ guests: SyntheticGuests; clock: ReturnType<typeof fakeClock>; seen: string[] }> {
  const clock = fakeClock();
  const guests = createSyntheticGuests({ clock, behave: () => run });
  const seen: string[] = [];
  guests.onChange(({ state }) => seen.push(state.phase));
  await guests.start(spec);
  return { guests, clock, seen };
}

const exitOf = (guests: SyntheticGuests) => {
  const state = guests.find(id)?.state;
  return state?.phase === 'exited' ? state.exit : undefined;
};

test('a synthetic guest is created, starts, runs and exits, and each change is reported', async () => {
  const { guests, clock, seen } = await started({ bootsIn: seconds(2), exits: { after: seconds(5), exitCode: 7 } });
  await clock.advance(seconds(7));
  assert.deepEqual(seen, ['creating', 'starting', 'running', 'exited']);
  assert.deepEqual([exitOf(guests)?.exitCode, exitOf(guests)?.reason], [7, 'Error']);
  await guests.remove(id);
  assert.deepEqual(guests.all(), []);
});

test('starting an existing synthetic guest again changes nothing', async () => {
  const { guests } = await started();
  await guests.start(spec);
  assert.equal(guests.started.length, 1);
});

test('a synthetic guest that ignores its shutdown is killed at the end of the shortest grace period', async () => {
  const orderly = await started();
  await orderly.clock.settle();
  await Promise.all([orderly.guests.stop(id, seconds(30)), orderly.clock.advance(seconds(1))]);
  assert.equal(exitOf(orderly.guests)?.exitCode, 0);
  const stubborn = await started({ ignoresShutdown: true });
  const stopped = stubborn.guests.stop(id, seconds(30));
  await stubborn.clock.advance(seconds(5));
  const hurried = stubborn.guests.stop(id, seconds(1));
  await stubborn.clock.advance(seconds(1));
  await Promise.all([stopped, hurried]);
  assert.deepEqual([exitOf(stubborn.guests)?.exitCode, exitOf(stubborn.guests)?.reason], [137, 'Killed']);
});

test('a running synthetic guest cannot be removed, and a starting one cannot exec', async () => {
  const { guests, clock } = await started({ bootsIn: seconds(1) });
  await assert.rejects(guests.exec(id, { argv: ['true'], stdin: false }), /is starting/);
  await clock.advance(seconds(1));
  await assert.rejects(guests.remove(id), /is running/);
});

test('exec in a synthetic guest echoes its input, or returns what the test defines', async () => {
  const { guests, clock } = await started({ exec: ({ argv }) => ({ exitCode: argv.length, output: 'done' }) });
  await clock.advance(seconds(1));
  const session = await guests.exec(id, { argv: ['a', 'b'], stdin: false });
  assert.deepEqual([await session.exited, (await session.stdout.toArray()).join('')], [2, 'done']);
  const plain = await started();
  await plain.clock.advance(seconds(1));
  const echo = await plain.guests.exec(id, { argv: ['cat'], stdin: true });
  echo.stdin.end('hello');
  assert.deepEqual([(await echo.stdout.toArray()).join(''), await echo.exited], ['hello', 0]);
});
