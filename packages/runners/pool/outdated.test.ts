import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunnerOutcome } from '@minifleet/api';
import { minutes, timestamp } from '@minifleet/clock';
import { IMAGE, NOW, poolOf, runnerOf } from '../testing/seen.ts';
import { judgeRunnerVersion, outdatedAfter, outdatedMessage, trialsNow } from './outdated.ts';

const DAY = minutes(24 * 60);
const at = { image: IMAGE, now: NOW };
const refusal = { image: IMAGE, outcome: 'RunnerOutdated', version: '2.336.0' } as const;
const refused = { image: IMAGE, version: '2.336.0', since: timestamp(NOW), retryAfter: timestamp(NOW + minutes(10)) };
const due = NOW + minutes(10);

test('a refused runner version is tried again ten minutes after each refusal, without end', () => {
  assert.deepEqual(outdatedAfter(undefined, refusal, at), refused);
  assert.deepEqual(outdatedAfter(refused, refusal, { ...at, now: NOW + minutes(9) }), refused);
  assert.deepEqual(outdatedAfter(refused, { image: IMAGE, outcome: 'RunnerOutdated' }, { ...at, now: NOW + DAY }), {
    ...refused,
    retryAfter: timestamp(NOW + DAY + minutes(10)),
  });
});

test('the job of a runner that started after the refusal, or another image, ends the record of a refused version', () => {
  const after = (outcome: RunnerOutcome, image = IMAGE, startedAt = NOW) =>
    outdatedAfter(refused, { outcome, image, startedAt: timestamp(startedAt) }, at);
  assert.equal(after('JobDone'), undefined);
  assert.deepEqual(after('JobDone', IMAGE, NOW - minutes(1)), refused, 'its job may have begun before the refusal');
  assert.deepEqual([after('NoJob'), after('Crashed'), after('JobDone', 'other')], [refused, refused, refused]);
  assert.equal(outdatedAfter({ ...refused, image: 'other' }, { outcome: 'NoJob', image: IMAGE }, at), undefined);
});

test('while a runner version is refused, one trial runner is created at a time', () => {
  const trials = (runners: Parameters<typeof trialsNow>[1], now = due) =>
    trialsNow(refused, runners, { image: IMAGE, now, gap: 5 });
  assert.equal(trials([], due - 1), 0);
  assert.equal(trials([]), 1);
  assert.equal(trials([runnerOf('starting')]), 0);
  assert.equal(trials([runnerOf('ended')]), 0, 'its end is not recorded yet');
  assert.equal(trials([runnerOf('starting', { stale: true })]), 1);
  assert.equal(trialsNow({ ...refused, image: 'other' }, [], { image: IMAGE, now: NOW, gap: 5 }), 5);
});

test('a trial runner that stays idle for two minutes, or gets a job, ends the trials', () => {
  const trials = (runner: ReturnType<typeof runnerOf>, now = due) =>
    trialsNow(refused, [runner], { image: IMAGE, now, gap: 5 });
  const idle = (onlineSince: number) => runnerOf('idle', { registration: { id: 1, onlineSince } });
  const busy = (jobSince: number) => runnerOf('busy', { registration: { id: 1, jobSince } });
  assert.equal(trials(idle(due), due + minutes(1)), 0, 'a refused runner is online for a moment');
  assert.equal(trials(idle(due), due + minutes(2)), 5);
  assert.equal(trials(idle(NOW - DAY)), 5, 'an older runner that is still idle was accepted as well');
  assert.equal(trials(busy(due)), 5);
  assert.equal(trials(busy(NOW - minutes(1))), 1, 'a job from before the refusal proves nothing');
});

test('the pool warns 14 days before GitHub ends the support of the runner version', () => {
  const endsAt = NOW + 14 * DAY;
  const judge = (now: number, support?: { endsAt: number | undefined }) =>
    judgeRunnerVersion({ pool: poolOf(), runners: [], version: { version: '2.336.0', support }, now });
  assert.equal(judge(NOW).reason, 'NotChecked');
  assert.equal(judge(NOW, { endsAt: undefined }).reason, 'Supported');
  assert.equal(judge(NOW - 1, { endsAt }).reason, 'Supported');
  assert.deepEqual(judge(NOW, { endsAt }), {
    reason: 'EndsSoon',
    message:
      'GitHub stops giving jobs to actions/runner 2.336.0 at 2030-01-15T00:00:00Z. Rebuild the image with the latest release of actions/runner and set spec.image',
  });
  assert.match(judge(endsAt, { endsAt }).message, /announced to stop giving jobs/);
  const pool = poolOf({}, { outdated: refused });
  assert.equal(judgeRunnerVersion({ pool, runners: [], version: undefined, now: NOW }).reason, 'Outdated');
});

test('a refused runner version is reported with its deadline, or as a probable outage of GitHub', () => {
  const message = (endsAt: number | undefined) =>
    outdatedMessage(refused, { version: '2.336.0', support: { endsAt } }, NOW);
  assert.equal(
    message(NOW - DAY),
    'GitHub gives no jobs to actions/runner 2.336.0 since 2029-12-31T00:00:00Z. Rebuild the image with the latest release of actions/runner and set spec.image. The next trial runner is created after 2030-01-01T00:10:00Z',
  );
  assert.match(message(undefined), /announces no end for it\. This is probably an outage of GitHub; the pool recovers/);
  assert.match(message(NOW + DAY), /announces an end at 2030-01-02T00:00:00Z for it/);
  assert.match(
    outdatedMessage(refused, undefined, NOW),
    /^GitHub gives no jobs to actions\/runner 2\.336\.0\. Rebuild/,
  );
});
