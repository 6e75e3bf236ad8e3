import type { HostPlan, HostStep } from '@minifleet/api';
import { type Duration, minutes, timestamp } from '@minifleet/clock';
import type { StepReport } from '@minifleet/host';
import type { Job, JobState } from '../host-work.ts';
import { cut, inSeconds } from './entry-words.ts';
import { type Failing, failureOf, isThePlans } from './failure.ts';
import {
  failingStep,
  type HostJournal,
  isOfTheHost,
  notDone,
  OF_THE_HOST,
  type StepNews,
  stepsFor,
  withSteps,
} from './journal.ts';

export interface RecordContext {
  /** Whether the host had been as wanted before, or has a Node. */
  readonly bootstrapped: boolean;
  /** How long what only a person can help is left alone; 0 for ever. */
  readonly retryAfter: Duration;
}

/**
 * What a run that ended leaves behind. It says the same however often it is said, from what the run alone knows: so it is
 * said until it is seen to be written, and a process that dies in between loses nothing.
 */
export function recordJob(journal: HostJournal, job: Job, context: RecordContext): HostJournal {
  const { job: _over, currentStep: _step, ...rest } = journal;
  const at = timestamp(job.heartbeatAt);
  const terminal = isThePlans(job, context.bootstrapped);
  const failing = { terminal, retryAfter: context.retryAfter };
  const steps = withSteps(stepsBefore(rest.steps ?? [], job), newsOf(job, failing), at);
  const waits = failingStep(steps)?.name ?? stepsFor(steps, notDone.heldBack)[0];
  return {
    ...rest,
    steps,
    plan: planAfter(rest.plan ?? {}, job, { steps, at, terminal }),
    ...(waits === undefined ? {} : { currentStep: waits }),
  };
}

/** Nothing runs any more; and once the host was reached, that it once was not is over. */
function stepsBefore(steps: readonly HostStep[], { state }: Job): HostStep[] {
  const answered = state.kind === 'converged' || state.kind === 'inspected';
  return steps
    .filter(({ name }) => !(answered && name === OF_THE_HOST.host))
    .map(step => (step.state === 'Running' ? { ...step, state: 'Waiting', reason: notDone.notReached } : step));
}

function newsOf(job: Job, failing: Failing): StepNews[] {
  const { state } = job;
  if (state.kind === 'inspected') return state.steps.map(inspected);
  if (state.kind === 'failed') return [failureOf(job, state.error, failing)];
  if (state.kind !== 'converged') return [];
  const { steps, error, nextAttempt } = state.report;
  const news = steps.map(step => reported(step, job));
  if (!error) return news;
  const blamed = steps.find(step => step.state === 'failed');
  const name = blamed?.id ?? OF_THE_HOST.host;
  const told = { step: name, attempts: state.report.attempts[name], nextAttempt };
  const failure = failureOf(job, error, { ...failing, told });
  const about = blamed ? { fingerprint: blamed.fingerprint, ...inSeconds(blamed.durationMs) } : {};
  return [...news.filter(step => step.name !== name), { ...failure, ...about }];
}

const described = ({ id: name, fingerprint, durationMs }: StepReport): Pick<StepNews, 'name' | 'fingerprint'> => ({
  name,
  fingerprint,
  ...inSeconds(durationMs),
});

function reported(step: StepReport, job: Job): StepNews {
  const known = described(step);
  const message = cut(step.differences.join('; '));
  switch (step.state) {
    case 'current':
      return { ...known, state: 'Done' };
    case 'needs reboot':
      return { ...known, state: 'Waiting', reason: notDone.rebootPending, message };
    case 'held back':
      return { ...known, state: 'Waiting', reason: notDone.heldBack, message, nextAttemptTime: heldUntil(job) };
    case 'drift':
    case 'unknown':
    case 'failed':
    case 'not reached': {
      const attempts = job.attempts[step.id];
      return { ...known, state: 'Waiting', reason: notDone.notReached, message, ...(attempts ? { attempts } : {}) };
    }
  }
}

// Guests that are gone from the cluster may still be shutting down on the host.
const heldUntil = (job: Job): string => timestamp(job.heartbeatAt + LOOK_AGAIN);
const LOOK_AGAIN = minutes(1);

function inspected(step: StepReport): StepNews {
  const known = { name: step.id, fingerprint: step.fingerprint };
  const message = cut(step.differences.join('; '));
  if (step.state === 'current') return { ...known, state: 'Done' };
  if (step.state === 'needs reboot') return { ...known, state: 'Waiting', reason: notDone.rebootPending, message };
  return { ...known, state: 'Waiting', reason: notDone.drift, message };
}

interface After {
  readonly steps: readonly HostStep[];
  readonly at: string;
  readonly terminal: boolean;
}

function planAfter(plan: HostPlan, job: Job, { steps, at, terminal }: After): HostPlan {
  const { failed: _failed, ...rest } = plan;
  if (inForce(job.state, steps)) {
    // An inspection of a plan that was replaced meanwhile says nothing of the one in force.
    if (job.kind === 'inspect' && plan.applied !== job.plan) return plan;
    return { ...rest, applied: job.plan, appliedTime: at };
  }
  return terminal ? { ...rest, failed: job.plan } : plan;
}

/** Every step was seen as wanted, but for what the next boot brings. */
function inForce(state: JobState, steps: readonly HostStep[]): boolean {
  if (state.kind === 'converged' && !['converged', 'reboot pending'].includes(state.report.outcome)) return false;
  if (state.kind !== 'converged' && state.kind !== 'inspected') return false;
  return steps.every(step => isOfTheHost(step) || step.state === 'Done' || step.reason === notDone.rebootPending);
}
