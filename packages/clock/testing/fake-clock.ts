import type { Clock } from '../clock.ts';
import { type Duration, milliseconds } from '../duration.ts';

/** A clock whose hands only a test moves. Chance is always 0, so that delays are exact. */
export interface FakeClock extends Clock {
  /** Moves on, runs the timers that become due in their order, and lets what they started settle in between. */
  advance(duration: Duration): Promise<void>;
  /** Lets promises and microtasks run without moving on. */
  settle(): Promise<void>;
  /** Number of pending timers. A program that has stopped leaves none. */
  readonly pending: number;
  /** When the next timer is due, from now; undefined without one. */
  nextTimer(): Duration | undefined;
}

export interface FakeClockOptions {
  /** Initial time in milliseconds since the epoch (default: 2030-01-01 UTC). */
  readonly now?: number;
}

interface FakeTimer {
  readonly due: number;
  readonly callback: () => void;
}

const A_FIXED_DAY = Date.UTC(2030, 0, 1);
/** A promise chain this long is settled at once; longer ones belong to a loop that never ends. */
const TURNS = 20;

export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  let now = options.now ?? A_FIXED_DAY;
  /** In the order in which they were started, which is also the order of timers that are due at the same time. */
  const timers = new Set<FakeTimer>();

  const next = (): FakeTimer | undefined => {
    let first: FakeTimer | undefined;
    for (const timer of timers) if (!first || timer.due < first.due) first = timer;
    return first;
  };

  async function advance(duration: Duration): Promise<void> {
    const end = now + duration;
    await settle();
    for (let timer = next(); timer && timer.due <= end; timer = next()) {
      now = Math.max(now, timer.due);
      timers.delete(timer);
      timer.callback();
      await settle();
    }
    now = end;
  }

  return {
    now: () => now,
    after(duration, callback) {
      const timer = { due: now + Math.max(0, duration), callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    random: () => 0,
    advance,
    settle,
    get pending() {
      return timers.size;
    },
    nextTimer: () => {
      const timer = next();
      return timer ? milliseconds(Math.max(0, timer.due - now)) : undefined;
    },
  };
}

/** Takes the turns without a promise for each, because a table of kills takes a million of them. */
function settle(): Promise<void> {
  return new Promise(resolve => {
    let turn = 0;
    const nextTurn = (): void => {
      if (++turn > TURNS) resolve();
      else setImmediate(nextTurn);
    };
    nextTurn();
  });
}
