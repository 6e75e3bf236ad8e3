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

// What says nothing about a step, only that nobody can be asked.
const HOST_LEVEL_ERRORS: ReadonlySet<string> = new Set(
  [HOST_UNREACHABLE, HOST_CONNECTION_LOST, HOST_KEY_REFUSED, HOST_IDENTITY_CHANGED].map(({ code }) => code),
);

/** Inspects steps all at once, so that what they ask travels together; whatever else is asked in this turn joins them. */
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
 * One round trip: the lease, the ledger if nobody read it yet, and every step from `from` to before `to`. The lease is
 * asked for first, so the host answers for it first; yet it is heard last, so that a busy host is reported with what was
 * seen.
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

/** The host's own count of failures, and a reboot in vain: for the same wanted value only, another starts afresh. */
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
 * A host that has just booted is not at rest: what a step may take to settle, it may take here. Only the first that
 * differs is waited for: what comes after it may need it, and would not come to rest by itself.
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

/** How a host differs from a plan, without touching it. Rejects when the host cannot be asked at all. */
export async function inspectPlan(host: HostView, plan: Plan): Promise<readonly StepReport[]> {
  const looks = await inspectSteps(host, plan.steps);
  return plan.steps.map((step, index) => reportInspection(step, looks[index]));
}
