import type { CataloguedError } from '@minifleet/errors';
import { trackState } from './books.ts';
import { cleanError } from './clean-error.ts';
import { type Attempts, type ConvergeOutcome, type ConvergeReport, WHOLE_HOST } from './converge-report.ts';
import { isAnothers } from './lease-answer.ts';
import { atRest } from './look-at.ts';
import { nextAttempt } from './next-attempt.ts';
import type { Run, Track } from './run.ts';
import { reportLook, type StepReport, type StepState } from './step-report.ts';

/** Puts a failure down to the step in hand, if there is one; those behind it are not reached. */
export function blame(run: Run, error: CataloguedError): void {
  // Someone else works on the host: no step is to blame for that.
  const track = isAnothers(error) ? undefined : run.at;
  run.at = track;
  if (!track) return;
  track.verdict = 'failed';
  track.attempts += 1;
  track.error = cleanError(error, run.options.redactor);
  for (const later of run.tracks.slice(run.tracks.indexOf(track) + 1))
    if (!atRest(later.look)) later.verdict = 'not reached';
}

/** The end of a run, as the caller is told; the last line of the journal is written here. */
export function reportOf(
  run: Run,
  { error: given, sent }: { readonly error: CataloguedError | undefined; readonly sent: number | undefined },
): ConvergeReport {
  const { redactor, roundTrips } = run.options;
  const error = given && cleanError(given, redactor);
  const outcome: ConvergeOutcome = error ? 'failed' : outcomeOf(run);
  const attempts = attemptsOf(run, error);
  const failures = attempts[run.at?.step.id ?? WHOLE_HOST] ?? 1;
  const next = error && nextAttempt(error, failures, run.host.clock);
  tellEnd(run, { outcome, error, failures, next });
  return {
    outcome,
    steps: run.tracks.map(track => reportTrack(run, track)),
    changes: run.changes,
    notes: run.notes.map(note => redactor.redact(note)),
    attempts,
    ...(error ? { error } : {}),
    ...(next === undefined ? {} : { nextAttempt: next }),
    ...(sent === undefined || !roundTrips ? {} : { roundTrips: roundTrips() - sent }),
  };
}

function outcomeOf({ tracks }: Run): ConvergeOutcome {
  const states = tracks.map(trackState);
  if (states.includes('held back')) return 'held back';
  return states.includes('needs reboot') ? 'reboot pending' : 'converged';
}

/** Failures in a row; a success ends the row, and reaching the host at all ends the host's own. */
function attemptsOf(run: Run, error: CataloguedError | undefined): Attempts {
  const steps = run.tracks.flatMap(track =>
    track.attempts > 0 && trackState(track) !== 'current' ? [[track.step.id, track.attempts] as const] : [],
  );
  const whole = error && !run.at ? run.attempt : 0;
  return Object.fromEntries(whole > 0 ? [...steps, [WHOLE_HOST, whole] as const] : steps);
}

function reportTrack({ options: { redactor } }: Run, track: Track): StepReport {
  const seen = reportLook(track.step, track.look);
  const state = trackState(track);
  const error = track.error ?? (seen.error && cleanError(seen.error, redactor));
  return {
    ...seen,
    // Only a lost lease leaves a step in hand: what was last seen of it stands.
    state: state === 'changing' ? seen.state : (state satisfies StepState),
    differences: seen.differences.map(words => redactor.redact(words)),
    changed: track.changed,
    notes: track.notes,
    attempts: state === 'current' ? 0 : track.attempts,
    ...(track.durationMs === undefined ? {} : { durationMs: track.durationMs }),
    ...(error ? { error } : {}),
  };
}

interface End {
  readonly outcome: ConvergeOutcome;
  readonly error: CataloguedError | undefined;
  readonly failures: number;
  readonly next: number | undefined;
}

function tellEnd(run: Run, { outcome, error, failures, next }: End): void {
  if (error) {
    const { code: errorCode, retry, message: words } = error;
    const at = run.at;
    run.tell({
      ...(at ? { step: at.step.id } : {}),
      kind: 'failed',
      attempt: failures,
      words,
      errorCode,
      retry,
      ...(at?.durationMs === undefined ? {} : { durationMs: at.durationMs }),
      ...(next === undefined ? {} : { nextAttempt: next }),
    });
  } else if (outcome !== 'failed' && outcome !== 'held back') {
    run.tell({ kind: outcome, attempt: run.attempt, words: summary(run) });
  }
}

/** Where the host is, in a line. */
export function summary({ tracks, notes }: Run): string {
  const named = (wanted: (track: Track) => boolean): string =>
    tracks
      .filter(wanted)
      .map(({ step }) => step.id)
      .join(', ');
  const differ = named(({ look }) => !atRest(look));
  const pending = named(track => trackState(track) === 'needs reboot');
  const parts = [
    differ ? `differ: ${differ}` : '',
    pending ? `waits for a reboot: ${pending}` : '',
    differ || pending ? '' : `all ${tracks.length} steps are as wanted`,
    ...notes,
  ];
  return parts.filter(part => part !== '').join('; ');
}
