import type { HostContact, HostJobStatus, HostPlan, HostStep } from '@minifleet/api';
import { type Duration, minutes, seconds, timestamp } from '@minifleet/clock';
import { CataloguedError, needsOperator, type Retry, retryDelay } from '@minifleet/errors';
import { type ConvergeReport, HOST_AGENT_NOT_STABLE, HOST_BUSY, type StepReport, WHOLE_HOST } from '@minifleet/host';
import { failureIn, type HostJournal, notDone, type StepUpdate, stepsFor, truncated, withSteps } from '../journal.ts';
import type { HostJob, HostJobState } from './host-job.ts';

const HEARTBEAT_WRITE_INTERVAL = minutes(1);

/** Adds the progress of a running job. An inspection changes nothing on the host, so only its result is recorded. */
export function withProgress(journal: HostJournal, job: HostJob): HostJournal {
  if (job.kind === 'inspect' || job.state.kind !== 'running') return journal;
  const steps = journal.steps ?? [];
  const updates = [...job.entries.values()].flatMap(entry => progressOf(entry, steps));
  return {
    ...journal,
    steps: withSteps(steps, updates, timestamp(job.heartbeatAt)),
    currentStep: job.last?.step ?? '',
    job: shownJob(journal.job, job),
  };
}

/** A heartbeat alone is written at most once per minute. */
function shownJob(before: HostJobStatus | undefined, job: HostJob): HostJobStatus {
  const shown = before?.id === job.id ? before.heartbeatTime : undefined;
  const keep = shown !== undefined && job.heartbeatAt - Date.parse(shown) < HEARTBEAT_WRITE_INTERVAL;
  return {
    id: job.id,
    startTime: timestamp(job.startedAt),
    deadlineTime: timestamp(job.deadlineAt),
    heartbeatTime: keep ? shown : timestamp(job.heartbeatAt),
  };
}

/** A failure is recorded from the report at the end, which has the time of the next attempt. */
function progressOf(
  { step: name, kind, attempt, durationMs, message }: NonNullable<HostJob['last']>,
  steps: readonly HostStep[],
): StepUpdate[] {
  if (name === undefined) return [];
  const before = steps.find(step => step.name === name);
  const known = { name, ...(before?.fingerprint === undefined ? {} : { fingerprint: before.fingerprint }) };
  if (kind === 'changing' || kind === 'settling') {
    // A step that needs an operator stays Failed until another attempt succeeds. Ready would change with each attempt (I32).
    if (before?.state === 'Failed') return [];
    return [{ ...known, state: 'Running', attempts: attempt - 1, message: truncated(message) }];
  }
  if (kind === 'changed') return [{ ...known, state: 'Done', ...duration(durationMs) }];
  if (kind === 'held back')
    return [{ ...known, state: 'Waiting', reason: notDone.heldBack, message: truncated(message) }];
  return [];
}

export interface RecordOptions {
  /** The host is in service. */
  readonly serves: boolean;
  /** Time until a failure that needs an operator is retried; 0 for never. */
  readonly retryAfter: Duration;
}

/**
 * Adds the result of a job. Deterministic: it depends only on the finished job, and is applied until the API server returns it, so a
 * crash loses nothing.
 */
export function withResult(journal: HostJournal, job: HostJob, options: RecordOptions): HostJournal {
  const { job: _job, currentStep: _step, contact, ...rest } = journal;
  const at = timestamp(job.heartbeatAt);
  const terminal = isPlanFailure(job, options.serves);
  const failure = failureOf(job, { ...options, terminal });
  const responded = job.state.kind === 'converged' || job.state.kind === 'inspected';
  const steps = withSteps(stopped(rest.steps ?? []), stepUpdates(job, failure), at);
  const lost = failure && failure.step === undefined ? contactFor(failure, contact, at) : undefined;
  const after: HostJournal = {
    ...rest,
    steps,
    plan: planAfter(rest.plan ?? {}, job, { steps, at, terminal }),
    ...(lost ? { contact: lost } : contact && !responded ? { contact } : {}),
  };
  const waiting = failureIn(after)?.step ?? stepsFor(steps, notDone.heldBack)[0];
  return waiting === undefined ? after : { ...after, currentStep: waiting };
}

const stopped = (steps: readonly HostStep[]): HostStep[] =>
  steps.map(step => (step.state === 'Running' ? { ...step, state: 'Waiting', reason: notDone.notReached } : step));

interface JobFailure {
  /** Absent for a failure that belongs to no step. */
  readonly step: string | undefined;
  readonly update: Omit<StepUpdate, 'name' | 'state'> & {
    readonly state: 'Waiting' | 'Failed';
    readonly reason: string;
  };
}

function contactFor({ update }: JobFailure, before: HostContact | undefined, at: string): HostContact {
  const { state, reason, attempts, nextAttemptTime, message } = update;
  return {
    state,
    reason,
    since: before?.since ?? at,
    ...(attempts === undefined ? {} : { attempts }),
    ...(nextAttemptTime === undefined ? {} : { nextAttemptTime }),
    ...(message === undefined ? {} : { message }),
  };
}

function stepUpdates(job: HostJob, failure: JobFailure | undefined): StepUpdate[] {
  const { state } = job;
  if (state.kind === 'inspected') return state.steps.map(inspected);
  if (state.kind !== 'converged') return [];
  const updates = state.report.steps.map(step => reported(step, job));
  if (failure?.step === undefined) return updates;
  const failed = state.report.steps.find(({ id }) => id === failure.step);
  const about = failed ? { fingerprint: failed.fingerprint, ...duration(failed.durationMs) } : {};
  return [...updates.filter(({ name }) => name !== failure.step), { ...failure.update, name: failure.step, ...about }];
}

function reported(step: StepReport, job: HostJob): StepUpdate {
  const known = { name: step.id, fingerprint: step.fingerprint, ...duration(step.durationMs) };
  const message = truncated(step.differences.join('; '));
  switch (step.state) {
    case 'current':
      return { ...known, state: 'Done' };
    case 'needs reboot':
      return { ...known, state: 'Waiting', reason: notDone.rebootPending, message };
    case 'held back': {
      // VMs that are gone from the cluster may still be shutting down on the host.
      const nextAttemptTime = timestamp(job.heartbeatAt + HELD_BACK_RETRY);
      return { ...known, state: 'Waiting', reason: notDone.heldBack, message, nextAttemptTime };
    }
    case 'drift':
    case 'unknown':
    case 'failed':
    case 'not reached': {
      const attempts = job.attempts[step.id];
      return { ...known, state: 'Waiting', reason: notDone.notReached, message, ...(attempts ? { attempts } : {}) };
    }
  }
}

const HELD_BACK_RETRY = minutes(1);

function inspected(step: StepReport): StepUpdate {
  const known = { name: step.id, fingerprint: step.fingerprint };
  const message = truncated(step.differences.join('; '));
  if (step.state === 'current') return { ...known, state: 'Done' };
  if (step.state === 'needs reboot') return { ...known, state: 'Waiting', reason: notDone.rebootPending, message };
  return { ...known, state: 'Waiting', reason: notDone.drift, message };
}

/** Same delays as those of the engine, for jobs without a report. */
const BACK_OFF = { first: seconds(30), most: minutes(10) };

/** Waiting if a retry may help, Failed if an operator must act. A Failed one is also retried, because no watch reports the repair. */
function failureOf(
  job: HostJob,
  { terminal, retryAfter }: RecordOptions & { readonly terminal: boolean },
): JobFailure | undefined {
  const { report, error } = endOf(job);
  if (error === undefined) return undefined;
  const known = error instanceof CataloguedError ? error : undefined;
  const step = report?.steps.find(one => one.state === 'failed')?.id;
  const key = step ?? WHOLE_HOST;
  const before = job.attempts[key] ?? 0;
  // Another process works on the host. That is no failure of the host.
  const attempts = known?.code === HOST_BUSY.code ? before : (report?.attempts[key] ?? before + 1);
  const next = report ? report.nextAttempt : nextAttempt(error, attempts, job.heartbeatAt);
  const failed = terminal || next === undefined;
  const retryAt = failed ? later(job.heartbeatAt, retryAfter) : next;
  return {
    step,
    update: {
      state: failed ? 'Failed' : 'Waiting',
      attempts,
      ...(retryAt === undefined ? {} : { nextAttemptTime: timestamp(retryAt) }),
      errorClass: errorClassOf(known?.retry ?? 'backoff'),
      reason: known?.reason ?? 'InternalError',
      message: truncated(known?.message ?? `internal error; see the provider log for job ${job.id}`),
    },
  };
}

function endOf({ state }: HostJob): { readonly report?: ConvergeReport; readonly error?: unknown } {
  if (state.kind === 'converged') return { report: state.report, error: state.report.error };
  return state.kind === 'failed' ? { error: state.error } : {};
}

const later = (from: number, delay: Duration): number | undefined => (delay > 0 ? from + delay : undefined);

/** Without jitter: the result is recorded more than once and must stay the same. */
function nextAttempt(error: unknown, failures: number, from: number): number | undefined {
  const delay = retryDelay(error, failures, BACK_OFF);
  return delay === undefined ? undefined : from + delay;
}

function errorClassOf(retry: Retry): NonNullable<HostStep['errorClass']> {
  if (retry === 'backoff') return 'Backoff';
  if (retry === 'untilSpecChanges') return 'UntilSpecChanges';
  return retry === 'operator' ? 'Operator' : 'After';
}

/** A step of a rollout may fail sometimes. After this many consecutive failures the plan is the cause. */
const ROLLOUT_ATTEMPTS = 3;

/**
 * True if the result shows that the plan cannot be applied, so that no other host gets it. On a host that never served, only a failure
 * that a retry cannot resolve counts: a new Mac has problems of its own.
 */
function isPlanFailure({ state }: HostJob, serves: boolean): boolean {
  if (state.kind !== 'converged' || !state.report.error) return false;
  const { error, steps } = state.report;
  const failed = steps.find(step => step.state === 'failed');
  if (!failed) return false;
  if (needsOperator(error)) return true;
  if (!serves) return false;
  // The agent was rolled back already. Another attempt is another half minute without an agent.
  return error.code === HOST_AGENT_NOT_STABLE.code || failed.attempts >= ROLLOUT_ATTEMPTS;
}

interface JobPlanInput {
  readonly steps: readonly HostStep[];
  readonly at: string;
  readonly terminal: boolean;
}

function planAfter(plan: HostPlan, job: HostJob, { steps, at, terminal }: JobPlanInput): HostPlan {
  const { failed: _failed, ...rest } = plan;
  if (isApplied(job.state, steps)) {
    // An inspection without a finding writes nothing: Cluster API requires that a stable object keeps its resourceVersion.
    if (job.kind === 'inspect') return plan.applied === job.plan ? { ...rest } : plan;
    return { ...rest, applied: job.plan, appliedTime: at };
  }
  return terminal ? { ...rest, failed: job.plan } : plan;
}

/** Every step is done, except what the next boot brings into effect. */
function isApplied(state: HostJobState, steps: readonly HostStep[]): boolean {
  if (state.kind === 'converged' && !['converged', 'reboot pending'].includes(state.report.outcome)) return false;
  if (state.kind !== 'converged' && state.kind !== 'inspected') return false;
  return steps.every(step => step.state === 'Done' || step.reason === notDone.rebootPending);
}

const duration = (milliseconds: number | undefined): { readonly durationSeconds?: number } =>
  milliseconds === undefined ? {} : { durationSeconds: Math.round(milliseconds / 100) / 10 };
