import { pause } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { HOST_CONNECTION_LOST, HOST_IDENTITY_CHANGED, HOST_KEY_REFUSED, HOST_UNREACHABLE } from '../errors.ts';
import type { HostView } from '../host.ts';
import { unlessAborted } from './abort.ts';
import { parseLedger, readLedgerText } from './ledger.ts';
import type { Plan } from './plan.ts';
import { reportInspection, type StepReport } from './report.ts';
import type { ConvergeRun } from './run.ts';
import { type Inspection, isSettled, type PlannedStep } from './step.ts';

// Errors about the host as a whole, which say nothing about a step.
const HOST_LEVEL_ERRORS: ReadonlySet<string> = new Set(
  [HOST_UNREACHABLE, HOST_CONNECTION_LOST, HOST_KEY_REFUSED, HOST_IDENTITY_CHANGED].map(({ code }) => code),
);

/** Inspects all steps at once, so that their queries share round trips, also with other queries of the same turn. */
export const inspectSteps = (host: HostView, steps: readonly PlannedStep[]): Promise<Inspection[]> =>
  Promise.all(steps.map(step => inspectStep(host, step)));

async function inspectStep(host: HostView, step: PlannedStep): Promise<Inspection> {
  try {
    return { finding: await step.inspect(host) };
  } catch (error) {
    if (error instanceof CataloguedError && !HOST_LEVEL_ERRORS.has(error.code)) return { error };
    throw error;
  }
}

/**
 * Acquires or renews the lease, reads the ledger once, and inspects the steps from `from` to before `to`, in one round
 * trip. The lease command is sent first, so the host answers it first. Its result is awaited last, so that a busy host
 * is reported together with the findings.
 */
export async function inspectTracks(run: ConvergeRun, from = 0, to = run.tracks.length): Promise<void> {
  const tracks = run.tracks.slice(from, to);
  const lease = run.lease.join();
  lease.catch(() => undefined); // heard below
  const ledger = run.ledgerRead ? undefined : readLedgerText(run.host);
  const looking = Promise.all([
    inspectSteps(
      run.host,
      tracks.map(({ step }) => step),
    ),
    ledger,
  ]);
  const [looks, text] = await unlessAborted(looking, run.signal);
  tracks.forEach((track, index) => {
    track.inspection = looks[index];
    track.inspectedAfter = run.changes;
  });
  if (!run.ledgerRead) loadLedger(run, text);
  const note = await unlessAborted(lease, run.signal);
  if (note !== undefined) run.notes.push(note);
}

/** Loads failure counts and ineffective reboots from the ledger, only for steps with the same fingerprint. */
function loadLedger(run: ConvergeRun, text: string | undefined): void {
  run.ledgerRead = true;
  if (text === undefined) return;
  run.ledger = parseLedger(text);
  if (!run.ledger) run.notes.push('the ledger was unreadable and is written again; its attempt counts are lost');
  for (const track of run.tracks) {
    const entry = run.ledger?.steps[track.step.id];
    if (entry?.fingerprint !== track.fingerprint) continue;
    track.attempts = Math.max(track.attempts, entry.attempts);
    track.rebootedInVain = entry.rebootedInVain === true;
  }
}

/**
 * Inspects until the host has settled after a reboot, for at most the settle time of a step. Only the first step that
 * differs is waited for, because later steps may depend on it and would not settle by themselves.
 */
export async function inspectAfterBoot(run: ConvergeRun): Promise<void> {
  const { clock } = run.host;
  const booted = clock.now();
  await inspectTracks(run);
  for (;;) {
    const settle = run.tracks.find(({ inspection }) => !isSettled(inspection))?.step.settle;
    if (!settle || clock.now() >= booted + settle.within) return;
    await pause(clock, settle.every, run.signal);
    run.signal.throwIfAborted();
    await inspectTracks(run);
  }
}

/** Reports how a host differs from a plan without changing it. Rejects when the host cannot be reached. */
export async function inspectPlan(host: HostView, plan: Plan): Promise<readonly StepReport[]> {
  const looks = await inspectSteps(host, plan.steps);
  return plan.steps.map((step, index) => reportInspection(step, looks[index]));
}
