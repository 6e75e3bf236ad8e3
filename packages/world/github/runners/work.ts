import type { Clock } from '@minifleet/clock';
import { completedJob, runningJob } from '../../actions-runner/words.ts';
import { doWork } from '../jobs/do-work.ts';
import type { Job } from '../jobs/job.ts';
import type { Session } from './session.ts';

/** Runs a job's script where the runner is; what it writes belongs in the job's log. */
export type RunScript = (job: Job, script: string, signal: AbortSignal) => Promise<number>;

export interface WorkOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Without it a job with a script fails. */
  readonly run?: RunScript;
  /** What the listener prints. */
  readonly say?: (line: string) => void;
}

/**
 * What `run.sh` does for as long as its session is open: takes jobs and works on each. An ephemeral runner returns
 * after one. When the signal aborts it says goodbye; to die without a word is `session.vanish`.
 */
export async function work(session: Session, options: WorkOptions): Promise<readonly Job[]> {
  const { clock, signal, run = noShell, say = () => undefined } = options;
  const done: Job[] = [];
  while (session.open) {
    const job = await session.nextJob(signal);
    if (!job) break;
    if (!session.beginJob()) continue;
    say(runningJob(clock.now(), job.name));
    const conclusion = await doWork(job, {
      clock,
      run: (script, stopped) => run(job, script, stopped),
      signal: AbortSignal.any([job.cancelled, ...(signal ? [signal] : [])]),
    });
    say(completedJob(clock.now(), job.name, conclusion));
    if (signal?.aborted) break;
    session.finishJob(conclusion);
    done.push(job);
  }
  session.close();
  return done;
}

const noShell: RunScript = async job => {
  job.log += 'this runner has no shell\n';
  return 127;
};
