import { formatDuration, pause } from '@minifleet/clock';
import { HOST_STEP_DID_NOT_CONVERGE, HOST_STEP_TIMED_OUT } from '../errors.ts';
import type { Host } from '../host.ts';
import { abortableHost, unlessAborted } from './abort.ts';
import { inspectSteps, inspectTracks } from './inspect.ts';
import { saveLedger } from './ledger.ts';
import { disturbanceOf } from './report.ts';
import type { ConvergeRun, StepTrack } from './run.ts';
import { disturbances, type Finding, type Inspection, isSettled, type PlannedStep } from './step.ts';

/**
 * Applies the plan once, in order, from the last inspections: changes every step that differs, unless that disturbs
 * more than allowed.
 */
export async function applyPlan(run: ConvergeRun): Promise<void> {
  for (const [index, track] of run.tracks.entries()) {
    if (track.inspection && track.inspectedAfter < run.changes)
      await inspectTracks(run, index, nextChangeEnd(run, index));
    const { inspection } = track;
    if (inspection === undefined || isSettled(inspection)) continue;
    run.at = track;
    if ('error' in inspection) throw inspection.error;
    if (allowed(run, track)) await changeStep(run, index, inspection.finding);
    else skipStep(run, track);
    run.at = undefined;
  }
}

const allowed = ({ options }: ConvergeRun, { step, inspection }: StepTrack): boolean =>
  disturbances.indexOf(disturbanceOf(step, inspection)) <= disturbances.indexOf(options.allow);

function skipStep({ report, options }: ConvergeRun, track: StepTrack): void {
  track.result = 'held back';
  const message = `${describeInspection(track.inspection)}; would disturb ${disturbanceOf(track.step, track.inspection)}, allowed: ${options.allow}`;
  report({ step: track.step.id, kind: 'held back', attempt: track.attempts + 1, message });
}

async function changeStep(run: ConvergeRun, index: number, finding: Finding): Promise<void> {
  const { host, report, signal } = run;
  const track = run.tracks[index] as StepTrack;
  const { step } = track;
  const about = { step: step.id, attempt: track.attempts + 1 };
  track.result = 'changing';
  await saveLedger(run);
  report({ ...about, kind: 'changing', message: describeInspection(track.inspection) });
  const began = host.clock.now();
  run.changes += 1;
  const took = (): number => (track.durationMs = host.clock.now() - began);
  try {
    const { after, notes } = await applyStep(host, step, {
      finding,
      signal,
      look: what => inspectAgain(run, index, what),
      onSettling: () =>
        report({ ...about, kind: 'settling', message: `waiting for: ${describeInspection(track.inspection)}` }),
    });
    track.notes = notes.map(note => run.options.redactor.redact(note));
    assertConverged(run, track, after);
  } finally {
    took();
  }
  track.changed = true;
  track.result = undefined;
  track.attempts = 0;
  // A value that was written again may take effect after another reboot.
  track.rebootedInVain = false;
  report({ ...about, kind: 'changed', message: track.notes.join('; ') || 'in sync', durationMs: took() });
}

/**
 * End of the range to inspect from a step: the next step to be changed. Later steps are inspected after that change.
 * Inspecting all of them each time would cost the host changes × steps commands.
 */
function nextChangeEnd(run: ConvergeRun, index: number): number {
  const next = run.tracks.findIndex((track, at) => at > index && differs(track) && allowed(run, track));
  return next < 0 ? run.tracks.length : next + 1;
}

/** False for a step that could not be inspected, because it may be in sync. */
const differs = ({ inspection }: StepTrack): boolean =>
  inspection !== undefined && 'finding' in inspection && !isSettled(inspection);

/** Inspects the step, with `all` also the steps after it, because the round trip is made anyway. */
async function inspectAgain(run: ConvergeRun, index: number, what: 'all' | 'alone'): Promise<Inspection> {
  const track = run.tracks[index] as StepTrack;
  if (what === 'all') await inspectTracks(run, index, nextChangeEnd(run, index));
  else [track.inspection] = await inspectSteps(run.host, [track.step]);
  return track.inspection as Inspection;
}

function assertConverged({ host }: ConvergeRun, { step }: StepTrack, after: Inspection): void {
  if ('error' in after) throw after.error;
  if (after.finding.state !== 'drift') return;
  throw HOST_STEP_DID_NOT_CONVERGE({ step: step.id, address: host.address, difference: describeInspection(after) });
}

/** Differences as reported by the inspection. */
export function describeInspection(look: Inspection | undefined): string {
  if (look === undefined) return 'not inspected yet';
  if ('error' in look) return look.error.message;
  return look.finding.state === 'current' ? 'in sync' : look.finding.differences.join('; ');
}

interface ApplyStepOptions {
  /** Finding to be repaired. */
  readonly finding: Finding;
  /** Inspects the step; with `all` also whatever fits into the same round trip. */
  readonly look: (what: 'all' | 'alone') => Promise<Inspection>;
  readonly onSettling?: () => void;
  readonly signal?: AbortSignal | undefined;
}

interface ApplyStepResult {
  readonly after: Inspection;
  /** Notes about killed, removed and repaired items. */
  readonly notes: readonly string[];
}

/** Changes one step, lets it settle and inspects it again, all within the step's timeout. */
export async function applyStep(host: Host, step: PlannedStep, given: ApplyStepOptions): Promise<ApplyStepResult> {
  const late = new AbortController();
  const timer = host.clock.after(step.timeout, () => {
    const after = formatDuration(step.timeout);
    late.abort(HOST_STEP_TIMED_OUT({ step: step.id, address: host.address, after }));
  });
  const signal = given.signal ? AbortSignal.any([given.signal, late.signal]) : late.signal;
  try {
    const notes = await unlessAborted(step.change(abortableHost(host, signal), given.finding), signal);
    return { notes, after: await unlessAborted(awaitSettled(host, step, { ...given, signal }), signal) };
  } finally {
    timer.cancel();
  }
}

/** The first inspection covers everything: the host is mostly settled at once, and then no second one is needed. */
async function awaitSettled(
  { clock }: Host,
  { settle }: PlannedStep,
  { look, onSettling, signal }: ApplyStepOptions,
): Promise<Inspection> {
  let seen = await look('all');
  if (!settle || isSettled(seen)) return seen;
  onSettling?.();
  const deadline = clock.now() + settle.within;
  while (!isSettled(seen) && clock.now() < deadline) {
    await pause(clock, settle.every, signal);
    signal?.throwIfAborted();
    seen = await look('alone');
  }
  return isSettled(seen) ? look('all') : seen;
}
