import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostStep } from '@minifleet/api';
import { milliseconds, minutes } from '@minifleet/clock';
import {
  type ConvergeReport,
  HOST_BUSY,
  HOST_COMMAND_FAILED,
  HOST_IDENTITY_CHANGED,
  HOST_SUDO_NEEDED,
  type StepReport,
} from '@minifleet/host';
import type { HostJournal } from '../journal.ts';
import type { HostJob, HostJobState } from './host-job.ts';
import { withProgress, withResult } from './record-job.ts';

const NOW = Date.UTC(2030, 0, 1);
const at = (second: number): string => new Date(NOW + second * 1_000).toISOString().replace('.000', '');
const options = { serves: false, retryAfter: minutes(30) };

const job = (state: HostJobState, more: Partial<HostJob> = {}): HostJob => ({
  id: 'job-1',
  host: 'mini-01',
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

const converged = (steps: readonly StepReport[], more: Partial<ConvergeReport> = {}): HostJobState => ({
  kind: 'converged',
  report: { outcome: 'converged', steps, changes: 0, notes: [], attempts: {}, ...more },
  hostKey: undefined,
  addresses: [],
});

const step = (name: string, more: Partial<HostStep> = {}): HostStep => ({
  ...{ name, state: 'Done', fingerprint: `f-${name}`, lastTransitionTime: at(-900) },
  ...more,
});

const error = HOST_COMMAND_FAILED({ command: 'x', address: 'a', status: 'exit code 1', output: 'y' });
const failed = (id: string, attempts: number, next?: number, of = error): HostJobState =>
  converged(
    [report('sudo', 'current'), report(id, 'failed', { attempts, error: of }), report('later', 'not reached')],
    {
      outcome: 'failed',
      error: of,
      attempts: { [id]: attempts },
      ...(next === undefined ? {} : { nextAttempt: next }),
    },
  );

const results = {
  converged: job(converged([report('sudo', 'current'), report('tart', 'current', { durationMs: 1_234 })])),
  'held back': job(converged([report('tart', 'held back', { differences: ['d'] })], { outcome: 'held back' })),
  'reboot pending': job(converged([report('net', 'needs reboot')], { outcome: 'reboot pending' })),
  failed: job(failed('tart', 2, NOW + 30_000)),
  'needs an operator': job(failed('sudo2', 1, undefined, HOST_SUDO_NEEDED({ address: 'a' }))),
  busy: job(
    converged([], { outcome: 'failed', error: HOST_BUSY({}), attempts: { '(host)': 5 }, nextAttempt: NOW + 1 }),
  ),
  'no report': job({ kind: 'failed', error, hostKey: undefined }, { attempts: { '(host)': 2 } }),
  'internal error': job({ kind: 'failed', error: new Error('secret words'), hostKey: undefined }),
  cancelled: job({ kind: 'cancelled', why: 'paused' }),
  'inspected without drift': job({ kind: 'inspected', steps: [report('tart', 'current')] }, { kind: 'inspect' }),
  'inspected with drift': job(
    { kind: 'inspected', steps: [report('tart', 'drift', { differences: ['Tart is missing'] })] },
    { kind: 'inspect' },
  ),
} satisfies Readonly<Record<string, HostJob>>;

const applied: HostJournal = {
  steps: [step('tart')],
  plan: { desired: 'w-plan', applied: 'w-plan', appliedTime: at(-900) },
};
const journals: Readonly<Record<string, HostJournal>> = {
  'an empty journal': {},
  'the progress of the job': {
    job: { id: 'job-1', startTime: at(-60), deadlineTime: at(60) },
    currentStep: 'tart',
    steps: [step('sudo'), step('tart', { state: 'Running', attempts: 1 })],
    plan: { desired: 'w-plan' },
  },
  'an applied plan': applied,
  'an unreachable host': { contact: { state: 'Waiting', reason: 'HostUnreachable', since: at(-60) } },
};

for (const [result, ended] of Object.entries(results)) {
  for (const [before, journal] of Object.entries(journals)) {
    test(`job result "${result}" after ${before}: recording it twice changes nothing, and no job remains`, () => {
      const once = withResult(journal, ended, options);
      assert.deepEqual(withResult(once, ended, options), once);
      assert.equal(once.job, undefined);
      assert.ok(!once.steps?.some(({ state }) => state === 'Running'));
    });
  }
}

test('a converged job applies its plan and clears its failure', () => {
  const before: HostJournal = {
    plan: { desired: 'w-plan', failed: 'w-plan' },
    contact: { state: 'Waiting', reason: 'HostUnreachable', since: at(-60) },
  };
  const { plan, steps, currentStep, contact } = withResult(before, results.converged, options);
  assert.deepEqual(plan, { desired: 'w-plan', applied: 'w-plan', appliedTime: at(0) });
  assert.deepEqual(steps?.[1], { ...step('tart'), durationSeconds: 1.2, lastTransitionTime: at(0) });
  assert.deepEqual([currentStep, contact], [undefined, undefined]);
});

test('a converged job applies the plan that it had, not a plan that is desired since', () => {
  const { plan } = withResult({ plan: { desired: 'w-newer' } }, results.converged, options);
  assert.deepEqual([plan?.desired, plan?.applied], ['w-newer', 'w-plan']);
});

test('a job with a step that was held back does not apply its plan', () => {
  const { plan, currentStep } = withResult({ plan: { applied: 'old' } }, results['held back'], options);
  assert.deepEqual([plan?.applied, currentStep], ['old', 'tart']);
});

test('a job with a pending reboot applies its plan', () => {
  assert.equal(withResult({}, results['reboot pending'], options).plan?.applied, 'w-plan');
});

test('a failed job records the step, its attempts, its next attempt, and the steps that it did not reach', () => {
  const { steps, currentStep, plan } = withResult({ plan: {} }, results.failed, options);
  const tart = steps?.find(({ name }) => name === 'tart');
  assert.deepEqual(
    [tart?.state, tart?.attempts, tart?.nextAttemptTime, tart?.errorClass, tart?.reason, currentStep],
    ['Waiting', 2, at(30), 'Backoff', 'HostCommandFailed', 'tart'],
  );
  assert.equal(steps?.find(({ name }) => name === 'later')?.reason, 'NotReached');
  assert.equal(plan?.failed, undefined);
});

test('a failure that needs an operator is Failed, and retried after --roll-retry-after or never', () => {
  const { steps, plan } = withResult({}, results['needs an operator'], options);
  const sudo = steps?.find(({ name }) => name === 'sudo2');
  assert.deepEqual([sudo?.state, sudo?.nextAttemptTime, plan?.failed], ['Failed', at(1_800), 'w-plan']);
  const never = withResult({}, results['needs an operator'], { ...options, retryAfter: milliseconds(0) });
  assert.equal(never.steps?.find(({ name }) => name === 'sudo2')?.nextAttemptTime, undefined);
});

test('three consecutive failures on a host in service are failures of the plan, and fewer are not', () => {
  const serving = { ...options, serves: true };
  assert.equal(withResult({}, job(failed('tart', 2, NOW + 1)), serving).plan?.failed, undefined);
  const third = withResult({}, job(failed('tart', 3, NOW + 1)), serving);
  assert.equal(third.plan?.failed, 'w-plan');
  assert.equal(third.steps?.find(({ name }) => name === 'tart')?.state, 'Failed');
});

test('a host that another process works on has not failed', () => {
  const { contact, steps } = withResult({}, results.busy, options);
  assert.deepEqual([contact?.attempts, contact?.state, steps], [0, 'Waiting', []]);
});

test('a job without a report is a failure of the connection, and the delay grows', () => {
  const { contact } = withResult({}, results['no report'], options);
  assert.deepEqual([contact?.attempts, contact?.nextAttemptTime, contact?.since], [3, at(120), at(0)]);
});

test('repeated failures of the connection keep the time of the first', () => {
  const { contact } = withResult(journals['an unreachable host'] ?? {}, results['no report'], options);
  assert.equal(contact?.since, at(-60));
});

test('an internal error names only the job', () => {
  const { contact } = withResult({}, results['internal error'], options);
  assert.equal(contact?.reason, 'InternalError');
  assert.match(contact?.message ?? '', /job-1/);
  assert.doesNotMatch(contact?.message ?? '', /secret/);
});

test('a changed host key is Failed and does not blame the plan', () => {
  const changed = job({ kind: 'failed', error: HOST_IDENTITY_CHANGED({}), hostKey: undefined });
  const { contact, plan } = withResult({ plan: {} }, changed, options);
  assert.deepEqual([contact?.state, plan?.failed], ['Failed', undefined]);
});

test('an inspection without a finding writes nothing', () => {
  assert.deepEqual(withResult(applied, results['inspected without drift'], options), applied);
});

test('an inspection that found drift records the difference', () => {
  const { steps, plan } = withResult(applied, results['inspected with drift'], options);
  assert.deepEqual(
    [steps?.[0]?.reason, steps?.[0]?.message, plan?.appliedTime],
    ['DriftFound', 'Tart is missing', at(-900)],
  );
});

test('a message that is too long for the schema is truncated', () => {
  const long = HOST_COMMAND_FAILED({ command: 'x', address: 'a', status: 's', output: 'y'.repeat(5_000) });
  const { steps } = withResult({}, job(failed('tart', 1, NOW + 1, long)), options);
  assert.equal(steps?.find(({ name }) => name === 'tart')?.message?.length, 2_048);
});

const running = (heartbeatAt: number, more: Partial<HostJob> = {}): HostJob =>
  job({ kind: 'running' }, { heartbeatAt, ...more });

test('the heartbeat of a job is written at most once per minute', () => {
  const first = withProgress({}, running(NOW));
  assert.equal(withProgress(first, running(NOW + 59_000)).job?.heartbeatTime, at(0));
  assert.equal(withProgress(first, running(NOW + 60_000)).job?.heartbeatTime, at(60));
});

test('the heartbeat of another job is written at once', () => {
  const first = withProgress({}, running(NOW));
  assert.equal(withProgress(first, running(NOW + 5_000, { id: 'job-2' })).job?.heartbeatTime, at(5));
});

test('an inspection and a queued job record no progress', () => {
  assert.deepEqual(withProgress({}, running(NOW, { kind: 'inspect' })), {});
  assert.deepEqual(withProgress({}, job({ kind: 'queued', place: 1 })), {});
});

const before = step('sudo', { state: 'Failed', reason: 'HostSudoBroken', message: 'sudo runs nothing', attempts: 1 });
const entry = { at: NOW, kind: 'changing', step: 'sudo', attempt: 2, message: 'it differs' } as const;
const retrying = job({ kind: 'running' }, { entries: new Map([['sudo', entry]]) });

test('I32 a step that needs an operator stays Failed during another attempt', () => {
  assert.deepEqual(withProgress({ steps: [before] }, retrying).steps, [before]);
});

test('a step that a retry may repair is Running during another attempt', () => {
  const waiting = { ...before, state: 'Waiting' } as const;
  assert.equal(withProgress({ steps: [waiting] }, retrying).steps?.[0]?.state, 'Running');
});
