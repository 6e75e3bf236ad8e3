import { type Clock, pause, seconds } from '@minifleet/clock';
import type { Conclusion, Job } from '../jobs/job.ts';
import type { Session } from './session.ts';

/** Does what a job asks and says how it ended; aborted when the job is cancelled or the runner stopped. */
export type CarryOut = (job: Job, signal: AbortSignal) => Promise<Conclusion>;

export interface WorkOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Takes the time the job says, and ends as it says, unless given. */
  readonly carryOut?: CarryOut;
}

const USUAL = seconds(30);

/**
 * What `run.sh` does for as long as its session is open: takes jobs and works on each. An ephemeral runner returns
 * after one. When the signal aborts it says goodbye; to die without a word is `session.vanish`.
 */
export async function work(session: Session, options: WorkOptions): Promise<readonly Job[]> {
  const { clock, signal, carryOut = takeTime(clock) } = options;
  const done: Job[] = [];
  while (session.open) {
    const job = await session.nextJob(signal);
    if (!job) break;
    const conclusion = await carryOut(job, AbortSignal.any([job.cancelled, ...(signal ? [signal] : [])]));
    if (signal?.aborted) break;
    session.finishJob(conclusion);
    done.push(job);
  }
  session.close();
  return done;
}

const takeTime =
  (clock: Clock): CarryOut =>
  async (job, signal) => {
    await pause(clock, job.takes ?? USUAL, signal);
    return signal.aborted ? 'cancelled' : (job.ends ?? 'success');
  };
