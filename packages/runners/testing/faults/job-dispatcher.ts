import { minutes, seconds } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import type { MemoryForge } from '@minifleet/forges/testing';
import type { MacStandIn } from '../mac-stand-in.ts';
import type { JobAssignment } from './invariants.ts';

const JOB_DURATION = seconds(60);
/** Time until GitHub gives up the job of a lost runner. */
const LOST_JOB_TIMEOUT = minutes(10);

/** Job queue of the simulated GitHub. It assigns each job to a runner that is online and has no job. */
export interface JobDispatcher {
  queue(jobs: number): void;
  /** Removes all jobs that no runner has started. */
  cancelQueued(): void;
  readonly waiting: number;
  /** Every start of a job. */
  readonly assignments: readonly JobAssignment[];
  /** Number of finished jobs. */
  readonly done: number;
  /** True if the VM of the runner runs a job now. */
  hasJob(runner: string): boolean;
  /** Finishes and assigns jobs. `running` are the runners whose VM runs. */
  tick(running: ReadonlySet<string>): Promise<void>;
}

interface RunningJob {
  readonly runner: string;
  readonly since: number;
  lostAt?: number;
}

export function jobDispatcher(clock: FakeClock, forge: MemoryForge, mac: Pick<MacStandIn, 'exit'>): JobDispatcher {
  const queued: string[] = [];
  const assignments: JobAssignment[] = [];
  let runningJobs: RunningJob[] = [];
  let lastJob = 0;
  let done = 0;

  /** GitHub removes a single-job runner before its process exits. */
  async function finish({ runner }: RunningJob): Promise<void> {
    forge.finishJob(runner);
    done += 1;
    await mac.exit(runner, 0);
  }

  /** Returns true while the job runs. */
  async function advance(job: RunningJob, running: ReadonlySet<string>): Promise<boolean> {
    const now = clock.now();
    if (!running.has(job.runner) && job.lostAt === undefined) {
      job.lostAt = now;
      forge.disconnect(job.runner);
    }
    if (job.lostAt !== undefined) {
      if (now - job.lostAt < LOST_JOB_TIMEOUT) return true;
      forge.finishJob(job.runner);
      return false;
    }
    if (now - job.since < JOB_DURATION) return true;
    await finish(job);
    return false;
  }

  /** Assigns queued jobs to the runners that have been online longest. A scale-down removes the same runners first. */
  function assign(running: ReadonlySet<string>): void {
    for (const { name, state, busy } of forge.all()) {
      if (queued.length === 0) return;
      if (state !== 'online' || busy || !running.has(name)) continue;
      const job = queued.shift() ?? '';
      forge.takeJob(name);
      assignments.push({ job, runner: name });
      runningJobs.push({ runner: name, since: clock.now() });
    }
  }

  return {
    assignments,
    get waiting() {
      return queued.length;
    },
    get done() {
      return done;
    },
    queue(jobs) {
      for (let job = 0; job < jobs; job++) queued.push(String(++lastJob));
    },
    cancelQueued: () => void queued.splice(0),
    hasJob: runner => runningJobs.some(job => job.runner === runner && job.lostAt === undefined),
    async tick(running) {
      const left: RunningJob[] = [];
      for (const job of runningJobs) if (await advance(job, running)) left.push(job);
      runningJobs = left;
      assign(running);
    },
  };
}
