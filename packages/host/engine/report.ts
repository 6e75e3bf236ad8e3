import { type Clock, minutes, seconds } from '@minifleet/clock';
import { type CataloguedError, retryDelay } from '@minifleet/errors';
import type { Redactor } from '@minifleet/secret';
import { isHeldByOther } from './lease.ts';
import { fingerprintOf } from './plan.ts';
import { redactError } from './redact-error.ts';
import type { ConvergeRun, JournalEntry, StepTrack } from './run.ts';
import { type Disturbance, type Inspection, isSettled, type PlannedStep } from './step.ts';

const BACK_OFF = { first: seconds(30), most: minutes(10) };

/** Time of the next attempt on the caller's clock; undefined if no retry can succeed until the spec or an operator changes something. */
export function nextAttempt(error: unknown, failures: number, clock: Clock): number | undefined {
  const delay = retryDelay(error, failures, { ...BACK_OFF, random: () => clock.random() });
  return delay === undefined ? undefined : clock.now() + delay;
}

/** Attributes a failure to the current step, if there is one; the steps after it are not reached. */
export function attributeFailure(run: ConvergeRun, error: CataloguedError): void {
  // Another process works on the host: no step caused that.
  const track = isHeldByOther(error) ? undefined : run.at;
  run.at = track;
  if (!track) return;
  track.result = 'failed';
  track.attempts += 1;
  track.error = redactError(error, run.options.redactor);
  for (const later of run.tracks.slice(run.tracks.indexOf(track) + 1))
    if (!isSettled(later.inspection)) later.result = 'not reached';
}

/** Creates the report of a run and writes the last journal entry. */
export function reportOf(
  run: ConvergeRun,
  { error: given, sent }: { readonly error: CataloguedError | undefined; readonly sent: number | undefined },
): ConvergeReport {
  const { redactor, roundTrips } = run.options;
  const error = given && redactError(given, redactor);
  const outcome: ConvergeOutcome = error ? 'failed' : outcomeOf(run);
  const attempts = attemptsOf(run, error);
  const failures = attempts[run.at?.step.id ?? WHOLE_HOST] ?? 1;
  const next = error && nextAttempt(error, failures, run.host.clock);
  reportEnd(run, { outcome, error, failures, next });
  return {
    outcome,
    steps: run.tracks.map(track => reportTrack(run, track)),
    changes: run.changes,
    notes: run.notes.map(note => redactor.redact(note)),
    attempts,
    ...(error ? { error } : {}),
    ...(next === undefined ? {} : { nextAttempt: next }),
    ...(sent === undefined || !roundTrips ? {} : { roundTrips: roundTrips() - sent }),
  };
}

/** State of a step; `changing` while it is being changed. */
export function trackState({ result, inspection }: StepTrack): StepState | 'changing' {
  return result ?? inspectionState(inspection).state;
}

function outcomeOf({ tracks }: ConvergeRun): ConvergeOutcome {
  const states = tracks.map(trackState);
  if (states.includes('held back')) return 'held back';
  return states.includes('needs reboot') ? 'reboot pending' : 'converged';
}

/** Consecutive failures by step. A success resets a step; reaching the host resets the count of the host. */
function attemptsOf(run: ConvergeRun, error: CataloguedError | undefined): Attempts {
  const steps = run.tracks.flatMap(track =>
    track.attempts > 0 && trackState(track) !== 'current' ? [[track.step.id, track.attempts] as const] : [],
  );
  const whole = error && !run.at ? run.attempt : 0;
  return Object.fromEntries(whole > 0 ? [...steps, [WHOLE_HOST, whole] as const] : steps);
}

function reportTrack({ options: { redactor } }: ConvergeRun, track: StepTrack): StepReport {
  const seen = reportInspection(track.step, track.inspection);
  const state = trackState(track);
  const error = track.error ?? (seen.error && redactError(seen.error, redactor));
  return {
    ...seen,
    // Only a lost lease leaves a step in `changing`: report its last inspection.
    state: state === 'changing' ? seen.state : (state satisfies StepState),
    differences: seen.differences.map(words => redactor.redact(words)),
    changed: track.changed,
    notes: track.notes,
    attempts: state === 'current' ? 0 : track.attempts,
    ...(track.durationMs === undefined ? {} : { durationMs: track.durationMs }),
    ...(error ? { error } : {}),
  };
}

interface RunEnd {
  readonly outcome: ConvergeOutcome;
  readonly error: CataloguedError | undefined;
  readonly failures: number;
  readonly next: number | undefined;
}

function reportEnd(run: ConvergeRun, { outcome, error, failures, next }: RunEnd): void {
  if (error) {
    const { code: errorCode, retry, message } = error;
    const at = run.at;
    run.report({
      ...(at ? { step: at.step.id } : {}),
      kind: 'failed',
      attempt: failures,
      message,
      errorCode,
      retry,
      ...(at?.durationMs === undefined ? {} : { durationMs: at.durationMs }),
      ...(next === undefined ? {} : { nextAttempt: next }),
    });
  } else if (outcome !== 'failed' && outcome !== 'held back') {
    run.report({ kind: outcome, attempt: run.attempt, message: summary(run) });
  }
}

/** State of the host in one line. */
export function summary({ tracks, notes }: ConvergeRun): string {
  const named = (desired: (track: StepTrack) => boolean): string =>
    tracks
      .filter(desired)
      .map(({ step }) => step.id)
      .join(', ');
  const differ = named(({ inspection }) => !isSettled(inspection));
  const pending = named(track => trackState(track) === 'needs reboot');
  const parts = [
    differ ? `out of sync: ${differ}` : '',
    pending ? `reboot pending: ${pending}` : '',
    differ || pending ? '' : `all ${tracks.length} steps are in sync`,
    ...notes,
  ];
  return parts.filter(part => part !== '').join('; ');
}

/**
 * State of a step: as inspected (`unknown` if the inspection failed), `held back` because the change would disturb more
 * than allowed, `failed`, or `not reached` because an earlier step failed or it was not inspected since a reboot.
 */
export type StepState = 'current' | 'drift' | 'needs reboot' | 'unknown' | 'held back' | 'failed' | 'not reached';

/** One row of the table for operators. Plain data except for the error. */
export interface StepReport {
  readonly id: string;
  readonly title: string;
  readonly fingerprint: string;
  readonly state: StepState;
  /** Actual and expected values, or the reason why the inspection failed. */
  readonly differences: readonly string[];
  /** Disturbance that the change would cause, based on the finding. */
  readonly disturbs: Disturbance;
  /** True if this run changed the step. */
  readonly changed: boolean;
  readonly notes: readonly string[];
  /** Consecutive failures. */
  readonly attempts: number;
  readonly durationMs?: number;
  readonly error?: CataloguedError;
}

/** Report of an inspection; a step without one was not reached. */
export function reportInspection(step: PlannedStep, look: Inspection | undefined): StepReport {
  return {
    id: step.id,
    title: step.title,
    fingerprint: fingerprintOf(step),
    disturbs: disturbanceOf(step, look),
    changed: false,
    notes: [],
    attempts: 0,
    ...inspectionState(look),
  };
}

/** State and differences of an inspection. */
export function inspectionState(look: Inspection | undefined): Pick<StepReport, 'state' | 'differences' | 'error'> {
  if (look === undefined) return { state: 'not reached', differences: [] };
  if ('error' in look) return { state: 'unknown', differences: [look.error.message], error: look.error };
  const { finding } = look;
  return { state: finding.state, differences: finding.state === 'current' ? [] : finding.differences };
}

/** Maximum disturbance of the step, or less if the found drift disturbs less. */
export function disturbanceOf(step: PlannedStep, look: Inspection | undefined): Disturbance {
  if (look === undefined || 'error' in look || look.finding.state !== 'drift') return step.disturbs;
  return look.finding.disturbs ?? step.disturbs;
}

export interface ConvergeOptions {
  /** Name of the caller, shown to others that find the host busy. */
  readonly holder: string;
  /** Maximum disturbance; steps that would disturb more are held back. */
  readonly allow: Disturbance;
  /** A reboot stops VMs, so it also requires `allow: 'running VMs'`. */
  readonly reboot: 'never' | 'when needed';
  /**
   * Called right before a reboot, because work may have started since it was allowed. `false` leaves the reboot
   * pending.
   */
  readonly mayReboot?: (() => Promise<boolean>) | undefined;
  readonly redactor: Redactor;
  readonly signal?: AbortSignal | undefined;
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
  /** Ids of the steps to apply (default: all). */
  readonly only?: readonly string[] | undefined;
  /** Consecutive failures from the last report; the higher of these and the ledger's counts is used. */
  readonly attempts?: Attempts | undefined;
  /** Number of commands sent so far: `() => transport.roundTrips`. */
  readonly roundTrips?: (() => number) | undefined;
}

/** Consecutive failures by step; failures outside steps are under `WHOLE_HOST`. */
export type Attempts = Readonly<Record<string, number>>;

/** The parentheses keep it from colliding with step ids. */
export const WHOLE_HOST = '(host)';

/** `held back` and `reboot pending`: everything that was allowed is done. */
type ConvergeOutcome = 'converged' | 'failed' | 'held back' | 'reboot pending';

export interface ConvergeReport {
  readonly outcome: ConvergeOutcome;
  readonly steps: readonly StepReport[];
  /** Number of attempted changes. */
  readonly changes: number;
  /** Events outside steps: a lease taken over, a ledger lost. */
  readonly notes: readonly string[];
  readonly attempts: Attempts;
  /** Without a secret in its message, stack and causes. */
  readonly error?: CataloguedError;
  /**
   * Time of the next useful attempt, in milliseconds by the caller's clock; undefined if an operator must act first.
   */
  readonly nextAttempt?: number;
  readonly roundTrips?: number;
}

/** Message about one step: a difference, or the reason why the step could not be inspected. */
export interface StepMessage {
  readonly step: string;
  readonly message: string;
}

/** Steps that report the same message, in plan order. */
export interface SharedCause {
  readonly message: string;
  readonly steps: readonly string[];
}

/**
 * Groups steps by message, in the order in which each message first occurs. A host without passwordless sudo gives one
 * group instead of one message for every step of the plan.
 */
export function groupByCause(messages: readonly StepMessage[]): readonly SharedCause[] {
  const groups = Map.groupBy(messages, ({ message }) => message);
  return [...groups].map(([message, members]) => ({ message, steps: members.map(({ step }) => step) }));
}

/** Renders groups as one line: `sudo, auto-login: cannot inspect; tart: Tart is missing`. */
export const describeCauses = (messages: readonly StepMessage[]): string =>
  groupByCause(messages)
    .map(({ message, steps }) => `${steps.join(', ')}: ${message}`)
    .join('; ');

/** The messages of every step that is not current, for `groupByCause`. */
export const stepMessages = (reports: readonly StepReport[]): readonly StepMessage[] =>
  reports.flatMap(({ id, differences }) =>
    differences.length === 0 ? [] : [{ step: id, message: differences.join('; ') }],
  );
