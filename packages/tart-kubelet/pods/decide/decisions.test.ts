import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { GuestExit } from '../../guests/guest.ts';
import { storedPod } from '../testing/pods-bench.ts';
import { activeDeadline, crashesAfter, restartDelay, stopGrace } from './delays.ts';
import { explainExit } from './last-run.ts';

const exit = (ran: number, exitCode = 1): GuestExit => ({
  exitCode,
  reason: 'Error',
  message: '',
  startedAt: 0,
  finishedAt: ran,
});

test('container restarts back off 0 s, 10 s, 20 s and at most 5 min', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 50].map(restartDelay);
  assert.deepEqual(delays, [0, 10, 20, 40, 80, 160, 300, 300].map(seconds));
});

test('a run of ten minutes resets the crash count', () => {
  assert.equal(crashesAfter(5, exit(minutes(10))), 1);
  assert.equal(crashesAfter(5, exit(minutes(9))), 6);
  assert.equal(crashesAfter(5, { ...exit(0), startedAt: undefined }), 6);
});

test('the grace period of a deletion overrides that of a probe, and that of a probe the Pod’s own', () => {
  const pod = storedPod('a', { terminationGracePeriodSeconds: 60 });
  const deleted = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 5 } };
  const forced = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } };
  assert.equal(stopGrace({ pod, absent: false }), seconds(60));
  assert.equal(stopGrace({ pod, absent: false, ofProbe: seconds(7) }), seconds(7));
  assert.equal(stopGrace({ pod: deleted, absent: false, ofProbe: seconds(7) }), seconds(5));
  assert.equal(stopGrace({ pod: forced, absent: true }), seconds(1));
  assert.equal(stopGrace({ pod: undefined, absent: true }), seconds(1));
  assert.equal(stopGrace({ pod: storedPod('a', { terminationGracePeriodSeconds: 0 }), absent: false }), 0);
});

test('activeDeadlineSeconds counts from startTime and not for finished or terminating Pods', () => {
  const status = { phase: 'Running', startTime: '2030-01-01T00:00:00Z' } as const;
  const pod = storedPod('a', { activeDeadlineSeconds: 90 }, { status });
  assert.equal(activeDeadline(pod), Date.UTC(2030, 0, 1, 0, 1, 30));
  assert.equal(activeDeadline({ ...pod, status: { ...status, phase: 'Failed' } }), undefined);
  assert.equal(activeDeadline({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'x' } }), undefined);
  assert.equal(activeDeadline(storedPod('a', {}, { status })), undefined);
});

test('a run stopped by a failed probe has failed, and a failed run has the tail of its log', () => {
  assert.equal(explainExit(exit(1, 0), { probeFailed: true, tail: undefined }).exitCode, 143);
  assert.equal(explainExit(exit(1, 9), { probeFailed: true, tail: undefined }).exitCode, 9);
  assert.equal(explainExit(exit(1, 9), { probeFailed: false, tail: 'the last words' }).message, 'the last words');
});
