import { minutes, seconds } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import type { MemoryForge } from '@minifleet/forges/testing';
import type { MacStandIn } from '../mac-stand-in.ts';
import type { JobRun } from './invariants.ts';

/** Duration of a job, and time until GitHub gives up the job of a dead runner. */
const TAKES = seconds(60);
const BELIEVED = minutes(10);

/** Jobs that wait in a forge: each is given to a runner that is online and has none. */
export interface JobDesk {
  queue(jobs: number): void;
  /** Takes away what nobody has begun. */
  cancelQueued(): void;
  readonly waiting: number;
  /** Every beginning of a job. */
  readonly runs: readonly JobRun[];
  /** Number of finished jobs. */
  readonly done: number;
  /** True if the VM runs a job now. */
  isAtWork(runner: string): boolean;
  /** `upNames` are runners whose VM runs. */
  tick(upNames: ReadonlySet<string>): Promise<void>;
}

interface UnderWay {
  readonly runner: string;
  readonly since: number;
  lostAt?: number;
}

export function jobDesk(clock: FakeClock, forge: MemoryForge, mac: Pick<MacStandIn, 'exit'>): JobDesk {
  const queued: string[] = [];
  const runs: JobRun[] = [];
  let underWay: UnderWay[] = [];
  let made = 0;
  let done = 0;

  /** The forge has forgotten the runner by the time its process ends. */
  async function finish({ runner }: UnderWay): Promise<void> {
    forge.finishJob(runner);
    done += 1;
    await mac.exit(runner, 0);
  }

  /** True while it goes on. */
  async function goesOn(one: UnderWay, up: ReadonlySet<string>): Promise<boolean> {
    const now = clock.now();
    if (!up.has(one.runner) && one.lostAt === undefined) {
      one.lostAt = now;
      forge.disconnect(one.runner);
    }
    if (one.lostAt !== undefined) {
      if (now - one.lostAt < BELIEVED) return true;
      forge.finishJob(one.runner);
      return false;
    }
    if (now - one.since < TAKES) return true;
    await finish(one);
    return false;
  }

  /** To the one that is online longest: it is the first that a smaller pool gives up. */
  function giveOut(up: ReadonlySet<string>): void {
    for (const { name, state, busy } of forge.all()) {
      if (queued.length === 0) return;
      if (state !== 'online' || busy || !up.has(name)) continue;
      const job = queued.shift() ?? '';
      forge.takeJob(name);
      runs.push({ job, runner: name });
      underWay.push({ runner: name, since: clock.now() });
    }
  }

  return {
    runs,
    get waiting() {
      return queued.length;
    },
    get done() {
      return done;
    },
    queue(jobs) {
      for (let job = 0; job < jobs; job++) queued.push(String(++made));
    },
    cancelQueued: () => void queued.splice(0),
    isAtWork: runner => underWay.some(one => one.runner === runner && one.lostAt === undefined),
    async tick(up) {
      const left: UnderWay[] = [];
      for (const one of underWay) if (await goesOn(one, up)) left.push(one);
      underWay = left;
      giveOut(up);
    },
  };
}
