import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunnerOutcome } from '@minifleet/api';
import { podOf, statusOf } from '../testing/seen.ts';
import { hasFailed, type JobEvidence, jobInLog, judgeEnd, refusedVersion } from './judge-end.ts';

const startedAt = '2030-01-01T00:00:00Z';
const exited = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error', started = true) =>
  podOf({
    node: 'mac-1',
    status: statusOf(exitCode === 0 ? 'Succeeded' : 'Failed', {
      terminated: { exitCode, reason, finishedAt: '2030-01-01T00:10:00Z', ...(started ? { startedAt } : {}) },
    }),
  });

describe('how a runner ended', () => {
  const rows: readonly (readonly [string, ReturnType<typeof exited>, JobEvidence, RunnerOutcome])[] = [
    ['exited with 0 after its job', exited(0), 'done', 'JobDone'],
    ['exited with 0 after its job began', exited(0), 'begun', 'JobDone'],
    ['exited with 0 without a job', exited(0), 'none', 'NoJob'],
    ['exited with 0 with an unknown job state', exited(0), 'unknown', 'Finished'],
    ['failed during its job', exited(1), 'begun', 'JobLost'],
    ['failed without a job', exited(1), 'none', 'Crashed'],
    ['failed after its job', exited(1), 'done', 'Crashed'],
    ['exited with 7 without a job', exited(7), 'none', 'RunnerOutdated'],
    ['exited with 7 with an unknown job state', exited(7), 'unknown', 'RunnerOutdated'],
    ['exited with 7 during its job', exited(7), 'begun', 'JobLost'],
    ['exited with 0 because its version is refused', exited(0), 'outdated', 'RunnerOutdated'],
    ['exited with 0 because GitHub removed it', exited(0), 'removed', 'RemovedByGitHub'],
    ['failed because GitHub removed it', exited(1), 'removed', 'Crashed'],
    ['lost its host during its job', exited(137, 'NodeRebooted'), 'begun', 'HostLost'],
    ['was shut down with its host', exited(143, 'NodeShutdown'), 'none', 'HostLost'],
    ['could not be started', exited(128, 'StartFailed'), 'none', 'NeverStarted'],
    ['did not boot in time', exited(128, 'BootTimedOut'), 'none', 'NeverStarted'],
    ['never ran', exited(137, 'ContainerStatusUnknown', false), 'none', 'NeverStarted'],
  ];
  for (const [name, pod, job, outcome] of rows) {
    test(`a runner that ${name} is ${outcome}`, () => assert.equal(judgeEnd(pod, job).outcome, outcome));
  }

  test('a runner rejected by its node agent is NeverStarted with the agent’s reason', () => {
    const refused = podOf({ status: { phase: 'Failed', reason: 'HostPIDNotSupported' } });
    assert.deepEqual(judgeEnd(refused, 'none'), { outcome: 'NeverStarted', reason: 'HostPIDNotSupported' });
  });

  test('the end of a runner has exit code, reason and times', () => {
    const { exitCode, reason, endedAt } = judgeEnd(exited(7), 'none');
    assert.deepEqual([exitCode, reason, endedAt], [7, 'Error', '2030-01-01T00:10:00Z']);
  });

  test('a runner that did not exit with 0 is a failure, unless its host is lost', () => {
    const ends = [exited(0), exited(1), exited(7), exited(128, 'StartFailed'), exited(137, 'NodeRebooted')];
    assert.deepEqual(ends.map(hasFailed), [false, true, true, true, false]);
  });
});

test('the runner log shows whether a job started, finished or never came', () => {
  const listening = '2030-01-01 00:00:00Z: Listening for Jobs\n';
  const begun = `${listening}2030-01-01 00:01:00Z: Running job: build\n`;
  const done = `${begun}2030-01-01 00:09:00Z: Job build completed with result: Failed\n`;
  assert.deepEqual([undefined, 'zsh: no such file', listening, begun, done].map(jobInLog), [
    ...(['unknown', 'unknown', 'none', 'begun', 'done'] as const),
  ]);
});

test('the runner log shows a refused version, unless the runner had a job', () => {
  const listening = "Current runner version: '2.336.0'\n2030-01-01 00:00:00Z: Listening for Jobs\n";
  const words =
    'An error occured: [Error: Forbidden ]Runner version v2.336.0 is deprecated and cannot receive messages.\n';
  const begun = `${listening}2030-01-01 00:01:00Z: Running job: echo ${words}`;
  assert.deepEqual([listening + words, begun].map(jobInLog), ['outdated', 'begun']);
  assert.deepEqual([listening + words, listening, words, '', undefined].map(refusedVersion), [
    ...['2.336.0', '2.336.0', '2.336.0'],
    ...[undefined, undefined],
  ]);
});

test('the runner log shows that GitHub removed the runner, unless it had a job', () => {
  const listening = '2030-01-01 00:00:00Z: Listening for Jobs\n';
  const gone = 'The runner no longer exists on the server. Cleaning up local configuration.\n';
  const deleted =
    'Failed to create a session. The runner registration has been deleted from the server, please re-configure.\n';
  const done =
    '2030-01-01 00:01:00Z: Running job: build\n2030-01-01 00:02:00Z: Job build completed with result: Succeeded\n';
  assert.deepEqual([listening + gone, deleted, listening + done + gone].map(jobInLog), ['removed', 'removed', 'done']);
});
