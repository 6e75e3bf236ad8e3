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

/**
 * Record on the host of what was last done to it. Inspections do not rely on it: it counts attempts and informs
 * operators.
 */
export interface Ledger {
  readonly version: typeof VERSION;
  /** The plan's fingerprint. */
  readonly plan: string;
  /** True if every step of that plan was in sync. */
  readonly converged: boolean;
  readonly steps: Readonly<Record<string, LedgerStep>>;
  readonly holder: string;
  /** By the caller's clock, as every time here, because the host's clock may be wrong. */
  readonly at: string;
}

interface LedgerStep {
  readonly fingerprint: string;
  readonly state: StepState | 'changing';
  /** Start of this state. */
  readonly at: string;
  /** Duration of the last change; 0 if none was needed. */
  readonly durationMs: number;
  /** Consecutive failures. */
  readonly attempts: number;
  /** The host was rebooted for this step, and the step is still not in effect. */
  readonly rebootedInVain?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Content of the ledger file, which every account that can log in may read. */
export async function readLedgerText(host: HostView): Promise<string | undefined> {
  const { exitCode, stdout } = await host.query(['/bin/cat', LEDGER_PATH]);
  return exitCode === 0 ? stdout : undefined;
}

/** Ledger of a host; undefined if there is none or it is unreadable. */
export const readLedger = async (host: HostView): Promise<Ledger | undefined> =>
  parseLedger((await readLedgerText(host)) ?? '');

/** Returns undefined for a damaged ledger or another version: it is only a record and is written again. */
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

/** Ledger content before timestamps are added. */
export interface LedgerEntries {
  readonly plan: string;
  readonly holder: string;
  readonly steps: Readonly<Record<string, Omit<LedgerStep, 'at'>>>;
  /** Step ids of the whole plan: the host is converged when all of them are current. */
  readonly order: readonly string[];
}

/** Next ledger; undefined if the present one has the same content, regardless of time and holder. */
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

/** Keeps the timestamp of an unchanged step. */
const keepUnchanged = (before: LedgerStep | undefined, entry: LedgerStep): LedgerStep =>
  before && stepContent(before) === stepContent(entry) ? before : entry;

const stepContent = ({ fingerprint, state, attempts, rebootedInVain, error }: LedgerStep): string =>
  JSON.stringify([fingerprint, state, attempts, rebootedInVain, error?.code, error?.message]);

const ledgerContent = ({ plan, converged, steps }: Ledger): string =>
  JSON.stringify([plan, converged, Object.entries(steps).map(([id, step]) => [id, stepContent(step)])]);

/** Writes the ledger before a change and confirms that this process still holds the lease. */
export async function saveLedger(run: ConvergeRun): Promise<void> {
  await unlessAborted(writeLedger(run, 'renew'), run.signal);
}

/** Writes the ledger and releases the lease in one round trip. Retried once on a lost connection; idempotent. */
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
  // Nothing new to write: the last inspection renewed the lease, and a release needs no ledger.
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
    // Steps outside this run keep their entry as long as it has the same fingerprint.
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
