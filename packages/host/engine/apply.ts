import { formatDuration, pause } from '@minifleet/clock';
import { HOST_STEP_DID_NOT_CONVERGE, HOST_STEP_TIMED_OUT } from '../errors.ts';
import type { Host } from '../host.ts';
import { hostUnder, unlessAborted } from './abort.ts';
import { lookAround, lookAt } from './inspect.ts';
import { writeDown } from './ledger.ts';
import { disturbanceOf } from './report.ts';
import type { Run, Track } from './run.ts';
import { atRest, disturbances, type Finding, type Look, type PlannedStep } from './step.ts';

/** Once through the plan, in order, from what was last seen: what differs is changed, unless it disturbs too much. */
export async function pass(run: Run): Promise<void> {
  for (const [index, track] of run.tracks.entries()) {
    if (track.look && track.seenAfter < run.changes) await lookAround(run, index, upToNext(run, index));
    const { look } = track;
    if (look === undefined || atRest(look)) continue;
    run.at = track;
    if ('error' in look) throw look.error;
    if (allowed(run, track)) await change(run, index, look.finding);
    else holdBack(run, track);
    run.at = undefined;
  }
}

const allowed = ({ options }: Run, { step, look }: Track): boolean =>
  disturbances.indexOf(disturbanceOf(step, look)) <= disturbances.indexOf(options.allow);

function holdBack({ tell, options }: Run, track: Track): void {
  track.verdict = 'held back';
  const words = `${differencesOf(track.look)}; would disturb ${disturbanceOf(track.step, track.look)}, allowed: ${options.allow}`;
  tell({ step: track.step.id, kind: 'held back', attempt: track.attempts + 1, words });
}

async function change(run: Run, index: number, finding: Finding): Promise<void> {
  const { host, tell, signal } = run;
  const track = run.tracks[index] as Track;
  const { step } = track;
  const about = { step: step.id, attempt: track.attempts + 1 };
  track.verdict = 'changing';
  await writeDown(run);
  tell({ ...about, kind: 'changing', words: differencesOf(track.look) });
  const began = host.clock.now();
  run.changes += 1;
  const took = (): number => (track.durationMs = host.clock.now() - began);
  try {
    const { after, notes } = await carryOut(host, step, {
      finding,
      signal,
      look: what => lookAgain(run, index, what),
      onSettling: () => tell({ ...about, kind: 'settling', words: `waiting for: ${differencesOf(track.look)}` }),
    });
    track.notes = notes.map(note => run.options.redactor.redact(note));
    assertConverged(run, track, after);
  } finally {
    took();
  }
  track.changed = true;
  track.verdict = undefined;
  track.attempts = 0;
  // What is written anew may well be in force after another.
  track.rebootedInVain = false;
  tell({ ...about, kind: 'changed', words: track.notes.join('; ') || 'in sync', durationMs: took() });
}

/**
 * Where to look up to from a step: the next one to be changed. Whatever lies behind that is looked at after its change;
 * looking at all of it each time would cost the host as many commands as there are changes times steps.
 */
function upToNext(run: Run, index: number): number {
  const next = run.tracks.findIndex((track, at) => at > index && differs(track) && allowed(run, track));
  return next < 0 ? run.tracks.length : next + 1;
}

/** Known to: what could not be seen may be as it should. */
const differs = ({ look }: Track): boolean => look !== undefined && 'finding' in look && !atRest(look);

/** The step itself, with those that come after it if a round trip is made anyway. */
async function lookAgain(run: Run, index: number, what: 'all' | 'alone'): Promise<Look> {
  const track = run.tracks[index] as Track;
  if (what === 'all') await lookAround(run, index, upToNext(run, index));
  else [track.look] = await lookAt(run.host, [track.step]);
  return track.look as Look;
}

function assertConverged({ host }: Run, { step }: Track, after: Look): void {
  if ('error' in after) throw after.error;
  if (after.finding.state !== 'drift') return;
  throw HOST_STEP_DID_NOT_CONVERGE({ step: step.id, address: host.address, difference: differencesOf(after) });
}

/** What differs, in the inspection's own words. */
export function differencesOf(look: Look | undefined): string {
  if (look === undefined) return 'not inspected yet';
  if ('error' in look) return look.error.message;
  return look.finding.state === 'current' ? 'in sync' : look.finding.differences.join('; ');
}

interface CarryOut {
  /** What is to be mended. */
  readonly finding: Finding;
  /** Looks at the step: `all` with whatever else is to be seen in that round trip. */
  readonly look: (what: 'all' | 'alone') => Promise<Look>;
  readonly onSettling?: () => void;
  readonly signal?: AbortSignal | undefined;
}

interface CarriedOut {
  readonly after: Look;
  /** What was killed, removed, repaired. */
  readonly notes: readonly string[];
}

/** One step: changed, given time to settle, looked at again, all within its time. */
export async function carryOut(host: Host, step: PlannedStep, given: CarryOut): Promise<CarriedOut> {
  const late = new AbortController();
  const timer = host.clock.after(step.timeout, () => {
    const after = formatDuration(step.timeout);
    late.abort(HOST_STEP_TIMED_OUT({ step: step.id, address: host.address, after }));
  });
  const signal = given.signal ? AbortSignal.any([given.signal, late.signal]) : late.signal;
  try {
    const notes = await unlessAborted(step.change(hostUnder(host, signal), given.finding), signal);
    return { notes, after: await unlessAborted(settled(host, step, { ...given, signal }), signal) };
  } finally {
    timer.cancel();
  }
}

/** The first look is at everything: mostly the host is at rest at once, and no other is needed. */
async function settled(
  { clock }: Host,
  { settle }: PlannedStep,
  { look, onSettling, signal }: CarryOut,
): Promise<Look> {
  let seen = await look('all');
  if (!settle || atRest(seen)) return seen;
  onSettling?.();
  const deadline = clock.now() + settle.within;
  while (!atRest(seen) && clock.now() < deadline) {
    await pause(clock, settle.every, signal);
    signal?.throwIfAborted();
    seen = await look('alone');
  }
  return atRest(seen) ? look('all') : seen;
}
