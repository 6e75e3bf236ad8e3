import { type Duration, minutes, seconds, timestamp } from '@minifleet/clock';
import { CataloguedError, needsOperator, retryDelay } from '@minifleet/errors';
import { HOST_AGENT_NOT_STABLE, HOST_BUSY } from '@minifleet/host';
import type { Job } from '../host-work.ts';
import { cut, errorClassOf } from './entry-words.ts';
import { OF_THE_HOST, type StepNews } from './journal.ts';

/** As the engine's own, for runs that never came to a report. */
const BACK_OFF = { first: seconds(30), most: minutes(10) };

/** A step of a roll may stumble; after so many failures in a row the plan is to blame. */
const TRIES_OF_A_ROLL = 3;

/** What the engine said of a failure; without it the run never came that far. */
export interface Told {
  readonly step: string;
  readonly attempts: number | undefined;
  readonly nextAttempt: number | undefined;
}

export interface Failing {
  readonly told?: Told;
  /** Its plan cannot be had: see `isThePlans`. */
  readonly terminal: boolean;
  /** 0 is never. */
  readonly retryAfter: Duration;
}

/**
 * A failure as an entry: Waiting when trying again may help, Failed when a person has to act. Even then it is tried again
 * after a while, since nobody tells us that someone has.
 */
export function failureOf(job: Job, error: unknown, { told, terminal, retryAfter }: Failing): StepNews {
  const known = error instanceof CataloguedError ? error : undefined;
  const name = told?.step ?? OF_THE_HOST.host;
  const before = job.attempts[name] ?? 0;
  // Someone else works there: that is no failure of the host, and must not cost it its place.
  const attempts = known?.code === HOST_BUSY.code ? before : (told?.attempts ?? before + 1);
  const retry = known?.retry ?? 'backoff';
  const next = told ? told.nextAttempt : nextTry(error, attempts, job.heartbeatAt);
  const failed = terminal || next === undefined;
  const again = failed ? (retryAfter > 0 ? job.heartbeatAt + retryAfter : undefined) : next;
  return {
    name,
    state: failed ? 'Failed' : 'Waiting',
    attempts,
    ...(again === undefined ? {} : { nextAttemptTime: timestamp(again) }),
    errorClass: errorClassOf(retry),
    reason: known?.reason ?? 'InternalError',
    message: cut(known?.message ?? `internal error; see the provider log for job ${job.id}`),
  };
}

/** Without jitter: the same end is recorded more than once, and must say the same. */
function nextTry(error: unknown, failures: number, from: number): number | undefined {
  const delay = retryDelay(error, failures, BACK_OFF);
  return delay === undefined ? undefined : from + delay;
}

/**
 * Whether a run shows that its plan cannot be had, so that no other host should get it. On a host that never was as wanted
 * only what trying again cannot heal counts: a fresh Mac has troubles of its own.
 */
export function isThePlans({ state }: Job, bootstrapped: boolean): boolean {
  if (state.kind !== 'converged' || !state.report.error) return false;
  const { error, steps } = state.report;
  const blamed = steps.find(step => step.state === 'failed');
  if (!blamed) return false;
  if (needsOperator(error)) return true;
  if (!bootstrapped) return false;
  // It was rolled back there already: another try is another half minute without the agent.
  return error.code === HOST_AGENT_NOT_STABLE.code || blamed.attempts >= TRIES_OF_A_ROLL;
}
