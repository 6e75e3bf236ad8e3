import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostClaim } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { timesFailed, withFailure } from './failure-record.ts';
import { type Departure, type HostRecord, recordAtDeparture } from './quarantine.ts';

const HOUR = 3_600_000;
const day = Date.UTC(2030, 0, 1);
const failed = (now = day) => withFailure([], { step: 'sudo', reason: 'PasswordRejected' }, now);

const claim = (claimEpoch: number, status: HostClaim['status']): HostClaim => ({
  apiVersion: '',
  kind: 'HostClaim',
  metadata: { name: 'x' },
  spec: { zone: 'fr-par-1', claimEpoch },
  ...(status ? { status } : {}),
});

/** One hand-over after another, each with a failure on the host. */
function departures(hows: readonly Departure['how'][]): (number | 'for ever' | 'free')[] {
  let failures: HostRecord['failures'] = [];
  return hows.map((how, index) => {
    failures = withFailure(failures, { step: 'sudo', reason: 'StepFailed' }, day);
    const record = recordAtDeparture(claim(index + 1, { failures }), { how, now: day });
    ({ failures } = record);
    if (!record.quarantine) return 'free';
    return record.quarantine.until === undefined ? 'for ever' : (Date.parse(record.quarantine.until) - day) / HOUR;
  });
}

test('a host given up is put aside for longer each time, in the end until a person looks', () => {
  const hows = ['Quarantine', 'Quarantine', 'Quarantine', 'Quarantine'] as const;
  assert.deepEqual(departures(hows), [1, 6, 24, 'for ever']);
});

test('a host that failed under one machine goes back to the pool; under two it is put aside', () => {
  assert.deepEqual(departures(['Return', 'Return', 'Return']), ['free', 1, 6]);
});

test('a host without a failure is never put aside for being returned', () => {
  assert.deepEqual(recordAtDeparture(claim(1, undefined), { how: 'Return', now: day }), { failures: [] });
});

test('a release that is repeated after a crash counts once', () => {
  const first = recordAtDeparture(claim(1, { failures: failed() }), { how: 'Quarantine', now: day });
  const again = recordAtDeparture(claim(1, { ...first }), { how: 'Quarantine', now: day + 60_000 });
  assert.deepEqual(again, first);
  const returned = recordAtDeparture(claim(1, { failures: failed() }), { how: 'Return', now: day });
  assert.deepEqual(recordAtDeparture(claim(1, { ...returned }), { how: 'Return', now: day }), returned);
});

test('the reasons of a quarantine are those of the record', () => {
  const { quarantine } = recordAtDeparture(claim(1, { failures: failed() }), { how: 'Quarantine', now: day });
  assert.deepEqual(quarantine?.reasons, ['PasswordRejected']);
});

test('a host that was not wiped waits for a person', () => {
  const { quarantine } = recordAtDeparture(claim(1, undefined), { how: 'Return', now: day, untilSeen: 'HostBroken' });
  assert.deepEqual(quarantine, { since: timestamp(day), reasons: ['HostBroken'] });
});

test('the record is bounded: the oldest failures go, the counts of departures stay', () => {
  let { failures } = recordAtDeparture(claim(1, { failures: failed() }), { how: 'Quarantine', now: day });
  for (let index = 0; index < 200; index++) {
    const message = 'x'.repeat(5_000);
    failures = withFailure(failures, { step: 's'.repeat(99), reason: `R${index}`, message }, day + index * 1_000);
  }
  assert.equal(failures.length, 64);
  assert.ok(failures.every(({ step, message = '' }) => step.length <= 63 && message.length <= 2_048));
  assert.ok(failures.some(({ reason }) => reason === 'PutAside'));
  assert.ok(failures.some(({ reason }) => reason === 'R199') && !failures.some(({ reason }) => reason === 'R0'));
});

test('the same failure is counted, not repeated', () => {
  const twice = withFailure(failed(day), { step: 'sudo', reason: 'PasswordRejected', message: 'again' }, day + 1_000);
  assert.deepEqual([twice.length, timesFailed(twice), twice[0]?.firstTime], [1, 2, timestamp(day)]);
});
