import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MacHost, type MacHostStatus, macHost } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';
import { failureCount, type HostReturn, recordReturn, withFailure } from './failure-record.ts';

const HOUR = 3_600_000;
const now = Date.UTC(2030, 0, 1);
const failed = (at = now) => withFailure([], { step: 'sudo', reason: 'PasswordRejected' }, at);

const host = (claimEpoch: number, status: MacHostStatus = {}): MacHost =>
  macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name: memoryId(1) },
    spec: { source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(1) } }, pool: 'pool-', claimEpoch },
    status,
  });

/** Releases by one machine after another, each with a failure on the host: hours of quarantine. */
function returns(hows: readonly HostReturn['how'][]): (number | 'until an operator acts' | 'none')[] {
  let status: MacHostStatus = {};
  return hows.map((how, index) => {
    const failures = withFailure(status.failures ?? [], { step: 'sudo', reason: 'StepFailed' }, now);
    status = recordReturn(host(index + 1, { ...status, failures }), { how, now });
    const { quarantine } = status;
    if (!quarantine) return 'none';
    return quarantine.until === undefined ? 'until an operator acts' : (Date.parse(quarantine.until) - now) / HOUR;
  });
}

test('each quarantine of a host that is given up is longer, and the fourth needs an operator', () => {
  assert.deepEqual(returns(['GaveUp', 'GaveUp', 'GaveUp', 'GaveUp']), [1, 6, 24, 'until an operator acts']);
});

test('a host that failed under one machine returns to the pool, and one that failed under two is quarantined', () => {
  assert.deepEqual(returns(['Returned', 'Returned', 'Returned']), ['none', 1, 6]);
});

test('a host without a failure is never quarantined by its return', () => {
  assert.deepEqual(recordReturn(host(1), { how: 'Returned', now }), {});
});

test('a release that is repeated after a crash is counted once', () => {
  for (const how of ['GaveUp', 'Returned'] as const) {
    const first = recordReturn(host(1, { failures: failed() }), { how, now });
    assert.deepEqual(recordReturn(host(1, first), { how, now: now + 60_000 }), first);
  }
});

test('the reasons of a quarantine are those of the failure record', () => {
  const { quarantine } = recordReturn(host(1, { failures: failed() }), { how: 'GaveUp', now });
  assert.deepEqual(quarantine?.reasons, ['PasswordRejected']);
});

test('a host that was not reinstalled is quarantined until an operator inspects it', () => {
  const { quarantine } = recordReturn(host(1), { how: 'Returned', now, untilInspected: 'HostBroken' });
  assert.deepEqual(quarantine, { since: timestamp(now), reasons: ['HostBroken'] });
});

test('the failure record is bounded by its newest entries', () => {
  let failures = failed();
  for (let index = 0; index < 200; index++) {
    const message = 'x'.repeat(5_000);
    failures = withFailure(failures, { step: 's'.repeat(99), reason: `R${index}`, message }, now + index * 1_000);
  }
  assert.equal(failures.length, 64);
  assert.ok(failures.every(({ step, message = '' }) => step.length <= 63 && message.length <= 2_048));
  assert.ok(failures.some(({ reason }) => reason === 'R199') && !failures.some(({ reason }) => reason === 'R0'));
});

test('a repeated failure is counted, not listed again', () => {
  const twice = withFailure(failed(), { step: 'sudo', reason: 'PasswordRejected', message: 'again' }, now + 1_000);
  assert.deepEqual([twice.length, failureCount(twice), twice[0]?.firstTime], [1, 2, timestamp(now)]);
});
