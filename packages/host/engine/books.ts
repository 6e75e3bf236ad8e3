import { CataloguedError } from '@minifleet/errors';
import { HOST_CONNECTION_LOST } from '../errors.ts';
import { cleanError } from './clean-error.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type LedgerEntries, type LedgerStep, nextLedger } from './ledger.ts';
import type { Run, Track } from './run.ts';
import type { StepState } from './step-report.ts';
import { stateOf } from './step-report.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Where a step stands; `changing` while it is in hand. */
export function trackState({ verdict, look }: Track): StepState | 'changing' {
  return verdict ?? stateOf(look).state;
}

/** Writes down where the host is before something changes, and makes sure that it is still ours to change. */
export async function writeDown(run: Run): Promise<void> {
  await unlessAborted(record(run, 'renew'), run.signal);
}

/**
 * The last word: ledger and release in one round trip. It is said again when the connection breaks, since nobody is
 * left to tell otherwise and saying it twice does no harm.
 */
export async function closeBooks(run: Run): Promise<void> {
  try {
    await record(run, 'release');
  } catch (error) {
    if (!(error instanceof CataloguedError) || error.code !== HOST_CONNECTION_LOST.code) throw error;
    await record(run, 'release');
  }
}

async function record(run: Run, action: 'renew' | 'release'): Promise<void> {
  const next = run.lease.held ? nextLedger(run.ledger, entriesOf(run), run.host.clock.now()) : undefined;
  // Nothing new to write: the last look around has made sure of the lease, and letting go needs no ledger.
  if (!next) return action === 'release' ? run.lease.release() : undefined;
  const { redactor } = run.options;
  const clean = (_: string, value: unknown): unknown => (typeof value === 'string' ? redactor.redact(value) : value);
  const unwritten = await run.lease.record(action, `${JSON.stringify(next, clean, 1)}\n`);
  run.ledger = unwritten === undefined ? next : undefined;
  if (unwritten !== undefined && !run.notes.includes(unwritten)) run.notes.push(unwritten);
}

function entriesOf(run: Run): LedgerEntries {
  const steps: Record<string, Omit<LedgerStep, 'at'>> = {};
  for (const step of run.plan.steps) {
    const track = run.tracks.find(one => one.step === step);
    const before = run.ledger?.steps[step.id];
    // Steps this run is not about keep their line, as long as it tells of the same wanted value.
    if (track) steps[step.id] = lineOf(run, track);
    else if (before?.fingerprint === fingerprintOf(step)) steps[step.id] = before;
  }
  return { plan: run.plan.fingerprint, holder: run.holder, order: run.plan.steps.map(({ id }) => id), steps };
}

function lineOf(run: Run, track: Track): Omit<LedgerStep, 'at'> {
  const state = trackState(track);
  const seen = track.error ?? stateOf(track.look).error;
  const error = seen && cleanError(seen, run.options.redactor);
  return {
    fingerprint: track.fingerprint,
    state,
    durationMs: track.durationMs ?? 0,
    attempts: state === 'current' ? 0 : track.attempts,
    ...(track.rebootedInVain && state !== 'current' ? { rebootedInVain: true } : {}),
    ...(error && state !== 'current' ? { error: { code: error.code, message: error.message } } : {}),
  };
}
