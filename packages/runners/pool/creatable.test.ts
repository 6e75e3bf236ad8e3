import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunnerOutcome } from '@minifleet/api';
import { minutes, seconds, timestamp } from '@minifleet/clock';
import { IMAGE, NOW, runnerOf } from '../testing/seen.ts';
import { allowedNow, crashesAfter } from './creatable.ts';

const after = (outcomes: readonly RunnerOutcome[], now = NOW, before?: Parameters<typeof crashesAfter>[0]) =>
  crashesAfter(
    before,
    outcomes.map(outcome => ({ outcome, image: IMAGE })),
    { image: IMAGE, now },
  );
const retryAfter = (at: number) => timestamp(at);

test('the crash backoff doubles with each round, up to ten minutes', () => {
  let crashes: ReturnType<typeof after>;
  const waits: number[] = [];
  for (let round = 0, now = NOW; round < 9; round++) {
    crashes = after(['Crashed'], now, crashes);
    const next = Date.parse(crashes?.retryAfter ?? '');
    waits.push((next - now) / seconds(1));
    now = next;
  }
  assert.deepEqual(waits, [10, 20, 40, 80, 160, 320, 600, 600, 600]);
});

test('failures while no runner is created count as one round', () => {
  const first = after(['NeverStarted', 'Crashed', 'NoJob']);
  assert.deepEqual(first, { image: IMAGE, failures: 1, retryAfter: retryAfter(NOW + seconds(10)) });
  assert.deepEqual(after(['Crashed'], NOW + seconds(9), first), first);
});

test('a finished job or ten minutes without a failure resets the crash backoff', () => {
  const crashes = { image: IMAGE, failures: 5, retryAfter: retryAfter(NOW) };
  assert.equal(after(['JobDone'], NOW, crashes), undefined);
  assert.equal(after(['Crashed'], NOW + minutes(9), crashes)?.failures, 6);
  assert.equal(after(['Crashed'], NOW + minutes(10), crashes)?.failures, 1);
});

test('lost hosts, lost jobs, removals and other images do not count as crashes', () => {
  assert.equal(after(['HostLost', 'JobLost', 'Removed', 'Vanished', 'Finished', 'RemovedByGitHub']), undefined);
  const other = { image: 'other', failures: 5, retryAfter: retryAfter(NOW + minutes(9)) };
  assert.equal(after(['Crashed'], NOW, other)?.failures, 1);
  assert.equal(
    crashesAfter(undefined, [{ outcome: 'Crashed', image: 'other' }], { image: IMAGE, now: NOW }),
    undefined,
  );
});

test('after a crash backoff one runner is created, and the rest when it is online', () => {
  const crashes = { image: IMAGE, failures: 1, retryAfter: retryAfter(NOW) };
  const allowed = (runners: Parameters<typeof allowedNow>[1], now = NOW) =>
    allowedNow(crashes, runners, { image: IMAGE, now, gap: 5 });
  assert.equal(allowed([], NOW - 1), 0);
  assert.equal(allowed([]), 1);
  assert.equal(allowed([runnerOf('starting')]), 0);
  assert.equal(allowed([runnerOf('idle', { registration: { id: 1, onlineSince: NOW - 1 } })]), 1);
  assert.equal(allowed([runnerOf('idle', { registration: { id: 1, onlineSince: NOW } })]), 5);
  assert.equal(allowedNow({ ...crashes, image: 'other' }, [], { image: IMAGE, now: NOW - 1, gap: 5 }), 5);
});
