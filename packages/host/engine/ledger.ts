import { timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { HOST_CONNECTION_LOST } from '../errors.ts';
import type { HostView } from '../host.ts';
import { unlessAborted } from './abort.ts';
import { STATE_FOLDER } from './lease.ts';
import { fingerprintOf } from './plan.ts';
import { redactError } from './redact-error.ts';
import { inspectionState, type StepState, trackState } from './report.ts';
import type { ConvergeRun, StepTrack } from './run.ts';

export const LEDGER_PATH = `${STATE_FOLDER}/ledger.json`;
const VERSION = 1;

/** What a host says was last done to it. Inspections do not trust it: it is for counting attempts, and for people. */
export interface Ledger {
  readonly version: typeof VERSION;
  /** The plan's fingerprint. */
  readonly plan: string;
  /** Whether every step of that plan was found as wanted. */
  readonly converged: boolean;
  readonly steps: Readonly<Record<string, LedgerStep>>;
  readonly holder: string;
  /** By the caller's clock, as every time here: the host's may be wrong. */
  readonly at: string;
}

interface LedgerStep {
  readonly fingerprint: string;
  readonly state: StepState | 'changing';
  /** Since when it is so. */
  readonly at: string;
  /** How long the last change took; 0 if it needed none. */
  readonly durationMs: number;
  /** Failures in a row. */
  readonly attempts: number;
  /** The host was restarted for it, and it is not in force all the same. */
  readonly rebootedInVain?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The ledger as it lies there, readable by anyone who can log in. */
export async function readLedgerText(host: HostView): Promise<string | undefined> {
  const { exitCode, stdout } = await host.query(['/bin/cat', LEDGER_PATH]);
  return exitCode === 0 ? stdout : undefined;
}

/** The ledger of a host; undefined when there is none that can be read. */
export const readLedger = async (host: HostView): Promise<Ledger | undefined> =>
  parseLedger((await readLedgerText(host)) ?? '');

/** Undefined for what is damaged or of another version: it is only a record, and is written anew. */
export function parseLedger(text: string): Ledger | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLedger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isLedger = (value: unknown): value is Ledger =>
  isRecord(value) &&
  value['version'] === VERSION &&
  typeof value['plan'] === 'string' &&
  typeof value['converged'] === 'boolean' &&
  typeof value['holder'] === 'string' &&
  typeof value['at'] === 'string' &&
  isRecord(value['steps']) &&
  Object.values(value['steps']).every(isLedgerStep);

const isLedgerStep = (value: unknown): value is LedgerStep =>
  isRecord(value) &&
  typeof value['fingerprint'] === 'string' &&
  typeof value['state'] === 'string' &&
  typeof value['at'] === 'string' &&
  Number.isSafeInteger(value['attempts']) &&
  Number.isFinite(value['durationMs']);

/** What is to be written down, before its times are known. */
export interface LedgerEntries {
  readonly plan: string;
  readonly holder: string;
  readonly steps: Readonly<Record<string, Omit<LedgerStep, 'at'>>>;
  /** The steps of the whole plan: all of them current is converged. */
  readonly order: readonly string[];
}

/** The next ledger; undefined when the one there already says the same, whenever and by whom it was written. */
export function nextLedger(before: Ledger | undefined, entries: LedgerEntries, now: number): Ledger | undefined {
  const at = timestamp(now);
  const steps = Object.fromEntries(
    Object.entries(entries.steps).map(([id, entry]) => [id, keepUnchanged(before?.steps[id], { ...entry, at })]),
  );
  const converged = entries.order.every(id => steps[id]?.state === 'current');
  const { plan, holder } = entries;
  const next: Ledger = { version: VERSION, plan, converged, steps, holder, at };
  return before && ledgerContent(before) === ledgerContent(next) ? undefined : next;
}

/** What has not changed keeps its time. */
const keepUnchanged = (before: LedgerStep | undefined, entry: LedgerStep): LedgerStep =>
  before && stepContent(before) === stepContent(entry) ? before : entry;

const stepContent = ({ fingerprint, state, attempts, rebootedInVain, error }: LedgerStep): string =>
  JSON.stringify([fingerprint, state, attempts, rebootedInVain, error?.code, error?.message]);

const ledgerContent = ({ plan, converged, steps }: Ledger): string =>
  JSON.stringify([plan, converged, Object.entries(steps).map(([id, step]) => [id, stepContent(step)])]);

/** Writes down where the host is before something changes, and makes sure that it is still ours to change. */
export async function saveLedger(run: ConvergeRun): Promise<void> {
  await unlessAborted(writeLedger(run, 'renew'), run.signal);
}

/**
 * The last word: ledger and release in one round trip. It is said again when the connection breaks, since nobody is
 * left to tell otherwise and saying it twice does no harm.
 */
export async function flushAndRelease(run: ConvergeRun): Promise<void> {
  try {
    await writeLedger(run, 'release');
  } catch (error) {
    if (!(error instanceof CataloguedError) || error.code !== HOST_CONNECTION_LOST.code) throw error;
    await writeLedger(run, 'release');
  }
}

async function writeLedger(run: ConvergeRun, action: 'renew' | 'release'): Promise<void> {
  const next = run.lease.held ? nextLedger(run.ledger, ledgerEntries(run), run.host.clock.now()) : undefined;
  // Nothing new to write: the last look around has made sure of the lease, and letting go needs no ledger.
  if (!next) return action === 'release' ? run.lease.release() : undefined;
  const { redactor } = run.options;
  const clean = (_: string, value: unknown): unknown => (typeof value === 'string' ? redactor.redact(value) : value);
  const unwritten = await run.lease.record(action, `${JSON.stringify(next, clean, 1)}\n`);
  run.ledger = unwritten === undefined ? next : undefined;
  if (unwritten !== undefined && !run.notes.includes(unwritten)) run.notes.push(unwritten);
}

function ledgerEntries(run: ConvergeRun): LedgerEntries {
  const steps: Record<string, Omit<LedgerStep, 'at'>> = {};
  for (const step of run.plan.steps) {
    const track = run.tracks.find(one => one.step === step);
    const before = run.ledger?.steps[step.id];
    // Steps this run is not about keep their line, as long as it tells of the same wanted value.
    if (track) steps[step.id] = ledgerStepOf(run, track);
    else if (before?.fingerprint === fingerprintOf(step)) steps[step.id] = before;
  }
  return { plan: run.plan.fingerprint, holder: run.holder, order: run.plan.steps.map(({ id }) => id), steps };
}

function ledgerStepOf(run: ConvergeRun, track: StepTrack): Omit<LedgerStep, 'at'> {
  const state = trackState(track);
  const seen = track.error ?? inspectionState(track.inspection).error;
  const error = seen && redactError(seen, run.options.redactor);
  return {
    fingerprint: track.fingerprint,
    state,
    durationMs: track.durationMs ?? 0,
    attempts: state === 'current' ? 0 : track.attempts,
    ...(track.rebootedInVain && state !== 'current' ? { rebootedInVain: true } : {}),
    ...(error && state !== 'current' ? { error: { code: error.code, message: error.message } } : {}),
  };
}
