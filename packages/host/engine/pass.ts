import { HOST_STEP_DID_NOT_CONVERGE } from '../errors.ts';
import { writeDown } from './books.ts';
import { carryOut } from './carry-out.ts';
import { lookAround } from './look-around.ts';
import { atRest, type Look, lookAt } from './look-at.ts';
import type { Run, Track } from './run.ts';
import { disturbances, type Finding } from './step.ts';
import { disturbanceOf } from './step-report.ts';

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
  const words = `${differencesOf(track.look)}; it would disturb ${disturbanceOf(track.step, track.look)}, allowed is ${options.allow}`;
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
      onSettling: () => tell({ ...about, kind: 'settling', words: `waits for: ${differencesOf(track.look)}` }),
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
  tell({ ...about, kind: 'changed', words: track.notes.join('; ') || 'as wanted', durationMs: took() });
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
  if (look === undefined) return 'not seen yet';
  if ('error' in look) return look.error.message;
  return look.finding.state === 'current' ? 'nothing differs' : look.finding.differences.join('; ');
}
