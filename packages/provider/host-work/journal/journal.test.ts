import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostStep } from '@minifleet/api';
import { milliseconds, minutes } from '@minifleet/clock';
import {
  type ConvergeReport,
  createPlan,
  fingerprintOf,
  HOST_BUSY,
  HOST_COMMAND_FAILED,
  HOST_IDENTITY_CHANGED,
  HOST_SUDO_NEEDED,
  type StepReport,
} from '@minifleet/host';
import { anyStep } from '@minifleet/host/testing/engine';
import type { Job, JobState } from '../host-work.ts';
import type { HostJournal } from './journal.ts';
import { mirrorJob } from './mirror-job.ts';
import { noteDesired } from './note-desired.ts';
import { recordJob } from './record-job.ts';

const NOW = Date.UTC(2030, 0, 1);
const at = (second: number): string => new Date(NOW + second * 1_000).toISOString().replace('.000', '');
const context = { bootstrapped: false, retryAfter: minutes(30) };

const job = (state: JobState, more: Partial<Job> = {}): Job => ({
  id: 'job-1',
  key: { namespace: 'fleet', name: 'mini-01' },
  uid: 'uid',
  kind: 'converge',
  plan: 'w-plan',
  attempts: {},
  password: undefined,
  startedAt: NOW - 60_000,
  deadlineAt: NOW + 60_000,
  heartbeatAt: NOW,
  state,
  entries: new Map(),
  last: undefined,
  ...more,
});

const report = (id: string, state: StepReport['state'], more: Partial<StepReport> = {}): StepReport => ({
  ...{ id, title: id, fingerprint: `f-${id}`, state, differences: [], disturbs: 'nothing' },
  ...{ changed: false, notes: [], attempts: 0, ...more },
});

const converged = (steps: readonly StepReport[], more: Partial<ConvergeReport> = {}): JobState => ({
  kind: 'converged',
  report: { outcome: 'converged', steps, changes: 0, notes: [], attempts: {}, ...more },
  hostKey: undefined,
  facts: { addresses: [] },
});

const step = (name: string, more: Partial<HostStep> = {}): HostStep => ({
  ...{ name, state: 'Done', fingerprint: `f-${name}`, lastTransitionTime: at(-900) },
  ...more,
});

const error = HOST_COMMAND_FAILED({ command: 'x', address: 'a', status: 'exit code 1', output: 'y' });
const failed = (id: string, attempts: number, next?: number, of = error): JobState =>
  converged(
    [report('sudo', 'current'), report(id, 'failed', { attempts, error: of }), report('later', 'not reached')],
    {
      outcome: 'failed',
      error: of,
      attempts: { [id]: attempts },
      ...(next === undefined ? {} : { nextAttempt: next }),
    },
  );

const ends: Readonly<Record<string, Job>> = {
  converged: job(converged([report('sudo', 'current'), report('tart', 'current', { durationMs: 1_234 })])),
  'held back': job(converged([report('tart', 'held back', { differences: ['d'] })], { outcome: 'held back' })),
  'reboot pending': job(converged([report('net', 'needs reboot')], { outcome: 'reboot pending' })),
  failed: job(failed('tart', 2, NOW + 30_000)),
  'failed for good': job(failed('sudo2', 1, undefined, HOST_SUDO_NEEDED({ address: 'a' }))),
  busy: job(
    converged([], { outcome: 'failed', error: HOST_BUSY({}), attempts: { '(host)': 5 }, nextAttempt: NOW + 1 }),
  ),
  'never reported': job({ kind: 'failed', error, hostKey: undefined }, { attempts: { '(host)': 2 } }),
  'a fault of ours': job({ kind: 'failed', error: new Error('secret words'), hostKey: undefined }),
  cancelled: job({ kind: 'cancelled', why: 'paused' }),
  'inspected, fine': job({ kind: 'inspected', steps: [report('tart', 'current')] }, { kind: 'inspect' }),
  'inspected, drifted': job(
    { kind: 'inspected', steps: [report('tart', 'drift', { differences: ['Tart is gone'] })] },
    { kind: 'inspect' },
  ),
};

const journals: Readonly<Record<string, HostJournal>> = {
  'nothing yet': {},
  'a run that was told of': {
    job: { id: 'job-1', startTime: at(-60), deadlineTime: at(60) },
    currentStep: 'tart',
    steps: [step('sudo'), step('tart', { state: 'Running', attempts: 1 })],
    plan: { desired: 'w-plan' },
  },
  'a host as wanted': { steps: [step('tart')], plan: { desired: 'w-plan', applied: 'w-plan', appliedTime: at(-900) } },
};

describe('the end of a run', () => {
  for (const [end, ended] of Object.entries(ends))
    for (const [before, journal] of Object.entries(journals))
      test(`${end}, after ${before}, says the same however often it is said, and leaves no run`, () => {
        const once = recordJob(journal, ended, context);
        assert.deepEqual(recordJob(once, ended, context), once);
        assert.equal(once.job, undefined);
        assert.ok(!once.steps?.some(({ state }) => state === 'Running'));
      });

  test('converged puts its plan in force', () => {
    const { plan, steps, currentStep } = recordJob(
      { plan: { desired: 'w-plan', failed: 'w-plan' } },
      ends['converged'] as Job,
      context,
    );
    assert.deepEqual(plan, { desired: 'w-plan', applied: 'w-plan', appliedTime: at(0) });
    assert.deepEqual(steps?.[1], { ...step('tart'), durationSeconds: 1.2, lastTransitionTime: at(0) });
    assert.equal(currentStep, undefined);
  });

  test('puts the plan in force that it was about, not the one wanted since', () => {
    const { plan } = recordJob({ plan: { desired: 'w-newer' } }, ends['converged'] as Job, context);
    assert.deepEqual([plan?.desired, plan?.applied], ['w-newer', 'w-plan']);
  });

  test('with something held back does not', () => {
    const { plan, currentStep } = recordJob({ plan: { applied: 'old' } }, ends['held back'] as Job, context);
    assert.deepEqual([plan?.applied, currentStep], ['old', 'tart']);
  });

  test('with a reboot pending does: all is written down', () => {
    assert.equal(recordJob({}, ends['reboot pending'] as Job, context).plan?.applied, 'w-plan');
  });

  test('failed names the step, its failures in a row, the time of the next try, and what was not reached', () => {
    const { steps, currentStep, plan } = recordJob({ plan: {} }, ends['failed'] as Job, context);
    const tart = steps?.find(({ name }) => name === 'tart');
    assert.deepEqual(
      [tart?.state, tart?.attempts, tart?.nextAttemptTime, tart?.errorClass, tart?.reason, currentStep],
      ['Waiting', 2, at(30), 'Backoff', 'HostCommandFailed', 'tart'],
    );
    assert.equal(steps?.find(({ name }) => name === 'later')?.reason, 'NotReached');
    assert.equal(plan?.failed, undefined);
  });

  test('that only a person helps stays failed and is looked at again after a while, or never', () => {
    const { steps, plan } = recordJob({}, ends['failed for good'] as Job, context);
    const sudo = steps?.find(({ name }) => name === 'sudo2');
    assert.deepEqual([sudo?.state, sudo?.nextAttemptTime, plan?.failed], ['Failed', at(1_800), 'w-plan']);
    const never = recordJob({}, ends['failed for good'] as Job, { ...context, retryAfter: milliseconds(0) });
    assert.equal(never.steps?.find(({ name }) => name === 'sudo2')?.nextAttemptTime, undefined);
  });

  test('on a host that serves, three failures in a row are the plan’s, and fewer are not', () => {
    const serving = { ...context, bootstrapped: true };
    assert.equal(recordJob({}, job(failed('tart', 2, NOW + 1)), serving).plan?.failed, undefined);
    const third = recordJob({}, job(failed('tart', 3, NOW + 1)), serving);
    assert.equal(third.plan?.failed, 'w-plan');
    assert.equal(third.steps?.find(({ name }) => name === 'tart')?.state, 'Failed');
  });

  test('on a host that someone else works on is no failure', () => {
    const { steps } = recordJob({}, ends['busy'] as Job, context);
    assert.deepEqual([steps?.[0]?.name, steps?.[0]?.attempts, steps?.[0]?.state], ['(host)', 0, 'Waiting']);
  });

  test('without a report is the host’s, one more in its row, and the wait grows', () => {
    const { steps } = recordJob({}, ends['never reported'] as Job, context);
    assert.deepEqual([steps?.[0]?.attempts, steps?.[0]?.nextAttemptTime], [3, at(120)]);
  });

  test('of our own making tells nothing but where to look', () => {
    const [host] = recordJob({}, ends['a fault of ours'] as Job, context).steps ?? [];
    assert.equal(host?.reason, 'InternalError');
    assert.match(host?.message ?? '', /job-1/);
    assert.doesNotMatch(host?.message ?? '', /secret/);
  });

  test('with another key than the pinned one stays failed and blames no plan', () => {
    const changed = job({ kind: 'failed', error: HOST_IDENTITY_CHANGED({}), hostKey: undefined });
    const { steps, plan } = recordJob({ plan: {} }, changed, context);
    assert.deepEqual([steps?.[0]?.state, plan?.failed], ['Failed', undefined]);
  });

  test('that found nothing moves only the time it was seen', () => {
    const before = journals['a host as wanted'] as HostJournal;
    const after = recordJob(before, ends['inspected, fine'] as Job, context);
    assert.deepEqual(after, { ...before, plan: { ...before.plan, appliedTime: at(0) } });
  });

  test('that found a difference keeps its words', () => {
    const { steps, plan } = recordJob(
      journals['a host as wanted'] as HostJournal,
      ends['inspected, drifted'] as Job,
      context,
    );
    assert.deepEqual(
      [steps?.[0]?.reason, steps?.[0]?.message, plan?.appliedTime],
      ['DriftFound', 'Tart is gone', at(-900)],
    );
  });

  test('words that are too long for the schema are cut', () => {
    const long = HOST_COMMAND_FAILED({ command: 'x', address: 'a', status: 's', output: 'y'.repeat(5_000) });
    const { steps } = recordJob({}, job(failed('tart', 1, NOW + 1, long)), context);
    assert.equal(steps?.find(({ name }) => name === 'tart')?.message?.length, 2_048);
  });
});

describe('a run under way', () => {
  const running = (heartbeatAt: number, more: Partial<Job> = {}): Job =>
    job({ kind: 'running' }, { heartbeatAt, ...more });

  test('shows a sign of life no more than once a minute', () => {
    const first = mirrorJob({}, running(NOW));
    assert.equal(mirrorJob(first, running(NOW + 59_000)).job?.heartbeatTime, at(0));
    assert.equal(mirrorJob(first, running(NOW + 60_000)).job?.heartbeatTime, at(60));
  });

  test('of another job shows its own at once', () => {
    const first = mirrorJob({}, running(NOW));
    assert.equal(mirrorJob(first, running(NOW + 5_000, { id: 'job-2' })).job?.heartbeatTime, at(5));
  });

  test('that only looks, or waits for its place, leaves no trace', () => {
    assert.deepEqual(mirrorJob({}, running(NOW, { kind: 'inspect' })), {});
    assert.deepEqual(mirrorJob({}, job({ kind: 'queued', place: 1 })), {});
  });
});

describe('a step that failed for good and is tried again', () => {
  const before = step('sudo', { state: 'Failed', reason: 'HostSudoBroken', message: 'sudo runs nothing', attempts: 1 });
  const entry = { at: NOW, kind: 'changing', step: 'sudo', attempt: 2, message: 'it differs' } as const;
  const trying = job({ kind: 'running' }, { entries: new Map([['sudo', entry]]) });

  test('I32 stays failed in the words it failed with, as long as nothing has come of it', () => {
    assert.deepEqual(mirrorJob({ steps: [before] }, trying).steps, [before]);
  });

  test('is Running when trying again may help', () => {
    const waiting = { ...before, state: 'Waiting' } as const;
    assert.equal(mirrorJob({ steps: [waiting] }, trying).steps?.[0]?.state, 'Running');
  });
});

describe('another plan', () => {
  const tart = anyStep('tart');
  const wanted = { plan: createPlan([tart, anyStep('sudo')]), desired: 'w2-new' };
  const fingerprint = fingerprintOf(tart);
  const keptOf = (steps: HostStep[], desired = 'w1-old'): string[] =>
    noteDesired({ steps, plan: { desired } }, wanted).steps?.map(({ name }) => name) ?? [];
  const failing = { state: 'Waiting', reason: 'HostCommandFailed', attempts: 3 } as const;

  test('is tried afresh where it wants something else', () => {
    assert.deepEqual(keptOf([step('tart', failing)]), []);
  });

  test('keeps the failures of what it wants as before', () => {
    assert.deepEqual(keptOf([step('tart', { ...failing, fingerprint })]), ['tart']);
  });

  test('holds nothing back before it was tried', () => {
    assert.deepEqual(keptOf([step('tart', { state: 'Waiting', reason: 'HeldBack', fingerprint })]), []);
  });

  test('keeps what is said of the host itself, and what is done', () => {
    assert.deepEqual(keptOf([step('(host)', failing), step('(restart)'), step('sudo')]), [
      '(host)',
      '(restart)',
      'sudo',
    ]);
  });

  test('drops steps that are wanted no more', () => {
    assert.deepEqual(keptOf([step('agent-credentials', failing)], 'w2-new'), []);
  });

  test('the same plan changes nothing', () => {
    const journal = { steps: [step('tart', failing)], plan: { desired: 'w2-new', applied: 'x' } };
    assert.deepEqual(noteDesired(journal, wanted), journal);
  });
});
