import { randomBytes } from 'node:crypto';
import type { Clock } from '@minifleet/clock';
import type { CataloguedError, Retry } from '@minifleet/errors';
import { type Redactor, secretsIn } from '@minifleet/secret';
import type { Host } from '../host.ts';
import { HostLease } from './lease.ts';
import type { Ledger } from './ledger.ts';
import { fingerprintOf, type Plan } from './plan.ts';
import { type ConvergeOptions, WHOLE_HOST } from './report.ts';
import type { Inspection, PlannedStep } from './step.ts';

/** State of one step during a run. */
export interface StepTrack {
  readonly step: PlannedStep;
  readonly fingerprint: string;
  /** Last inspection. */
  inspection: Inspection | undefined;
  /** Changes that this run had made by then. */
  inspectedAfter: number;
  /** Result, if it is more than the last inspection. */
  result: 'changing' | 'held back' | 'failed' | 'not reached' | undefined;
  changed: boolean;
  notes: readonly string[];
  attempts: number;
  /** A reboot for this desired value had no effect, so another one would have none either. */
  rebootedInVain: boolean;
  durationMs: number | undefined;
  error: CataloguedError | undefined;
}

/** State of one call of `converge`. */
export interface ConvergeRun {
  readonly host: Host;
  readonly plan: Plan;
  readonly options: ConvergeOptions;
  /** One line without secrets. */
  readonly holder: string;
  readonly tracks: readonly StepTrack[];
  readonly lease: HostLease;
  readonly report: ReportEntry;
  /** Aborts with the caller's signal or when the lease is lost. */
  readonly signal: AbortSignal;
  readonly notes: string[];
  /** Ledger on the host; read once. */
  ledger: Ledger | undefined;
  ledgerRead: boolean;
  /** Step being changed, to which a failure is attributed. */
  at: StepTrack | undefined;
  changes: number;
  /** Attempt to reach the host, counted from 1. */
  readonly attempt: number;
}

export function startRun(host: Host, plan: Plan, options: ConvergeOptions): ConvergeRun {
  const { redactor, onEntry } = options;
  for (const { want } of plan.steps) for (const secret of secretsIn(want)) redactor.learn(secret);
  const taken = new AbortController();
  const holder = oneLine(redactor.redact(options.holder));
  const token = randomBytes(16).toString('hex');
  return {
    host,
    plan,
    options,
    holder,
    tracks: selectedSteps(plan, options.only).map(step => trackOf(step, options.attempts?.[step.id])),
    lease: new HostLease(host, { holder, token, onLost: error => taken.abort(error) }),
    report: createJournal({ clock: host.clock, redactor, onEntry }),
    signal: options.signal ? AbortSignal.any([options.signal, taken.signal]) : taken.signal,
    notes: [],
    ledger: undefined,
    ledgerRead: false,
    at: undefined,
    changes: 0,
    attempt: (options.attempts?.[WHOLE_HOST] ?? 0) + 1,
  };
}

function selectedSteps({ steps }: Plan, only: readonly string[] | undefined): readonly PlannedStep[] {
  if (only === undefined) return steps;
  const unknown = only.find(id => !steps.some(step => step.id === id));
  if (unknown !== undefined) throw new RangeError(`the plan has no step ${unknown}`);
  return steps.filter(({ id }) => only.includes(id));
}

const trackOf = (step: PlannedStep, attempts = 0): StepTrack => ({
  step,
  fingerprint: fingerprintOf(step),
  inspection: undefined,
  inspectedAfter: 0,
  result: undefined,
  changed: false,
  notes: [],
  attempts,
  rebootedInVain: false,
  durationMs: undefined,
  error: undefined,
});

// The holder becomes the target of a symbolic link, which holds 1023 bytes.
const oneLine = (holder: string): string =>
  holder
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 200) || 'someone';

export type JournalKind =
  | 'inspected'
  | 'changing'
  | 'settling'
  | 'changed'
  | 'failed'
  | 'held back'
  | 'rebooting'
  | 'back'
  | 'converged'
  | 'reboot pending';

/** One action or wait of the engine, as plain data without secrets; understandable without other entries. */
export interface JournalEntry {
  /** Milliseconds by the caller's clock. */
  readonly at: number;
  /** Absent for entries about the whole host. */
  readonly step?: string;
  readonly kind: JournalKind;
  /** Counted from 1, including failures of earlier runs. */
  readonly attempt: number;
  readonly message: string;
  readonly errorCode?: string;
  readonly retry?: Retry;
  readonly durationMs?: number;
  /** Time of the next useful attempt by the caller's clock. */
  readonly nextAttempt?: number;
}

type ReportEntry = (entry: Omit<JournalEntry, 'at'>) => void;

interface JournalOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly onEntry: ((entry: JournalEntry) => void) | undefined;
}

const createJournal =
  ({ clock, redactor, onEntry }: JournalOptions): ReportEntry =>
  entry =>
    onEntry?.({ at: clock.now(), ...entry, message: redactor.redact(entry.message) });
