import { type Clock, pause, seconds } from '@minifleet/clock';
import type { Conclusion, Job } from './job.ts';

/** What a job asks of whoever does it, in this process or beyond the door. */
export type Work = Pick<Job, 'script' | 'takes' | 'held' | 'ends' | 'released'>;

export interface Hands {
  readonly clock: Clock;
  /** Runs the script where the runner is, and says with which code it ended. */
  readonly run: (script: string, signal: AbortSignal) => Promise<number>;
  /** Aborts when the job is cancelled or the runner is stopped. */
  readonly signal: AbortSignal;
}

const USUAL = seconds(30);

/** The script first, then the time it takes or until it is let go; how it ended. */
export async function doWork(work: Work, { clock, run, signal }: Hands): Promise<Conclusion> {
  const code = work.script === undefined || signal.aborted ? 0 : await run(work.script, signal);
  if (code !== 0 && !signal.aborted) return 'failure';
  const takes = work.takes ?? (work.script === undefined ? USUAL : undefined);
  if (work.held) await aborted(AbortSignal.any([work.released, signal]));
  else if (takes !== undefined) await pause(clock, takes, signal);
  return signal.aborted ? 'cancelled' : (work.ends ?? 'success');
}

/** Resolves when it aborts, or has. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
