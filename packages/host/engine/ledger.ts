import { timestamp } from '@minifleet/clock';
import type { HostView } from '../host.ts';
import { STATE_FOLDER } from './lease-answer.ts';
import type { StepState } from './step-report.ts';

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

export interface LedgerStep {
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
  const { exitCode, stdout } = await host.look(['/bin/cat', LEDGER_PATH]);
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
    Object.entries(entries.steps).map(([id, entry]) => [id, since(before?.steps[id], { ...entry, at })]),
  );
  const converged = entries.order.every(id => steps[id]?.state === 'current');
  const { plan, holder } = entries;
  const next: Ledger = { version: VERSION, plan, converged, steps, holder, at };
  return before && tells(before) === tells(next) ? undefined : next;
}

/** What has not changed keeps its time. */
const since = (before: LedgerStep | undefined, entry: LedgerStep): LedgerStep =>
  before && same(before) === same(entry) ? before : entry;

const same = ({ fingerprint, state, attempts, rebootedInVain, error }: LedgerStep): string =>
  JSON.stringify([fingerprint, state, attempts, rebootedInVain, error?.code, error?.message]);

const tells = ({ plan, converged, steps }: Ledger): string =>
  JSON.stringify([plan, converged, Object.entries(steps).map(([id, step]) => [id, same(step)])]);
