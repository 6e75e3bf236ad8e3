import { type Clock, type Duration, milliseconds } from '@minifleet/clock';

/** When a guest has to be gone. Each order runs its own timers and the earliest counts, so an order may come nearer and never go away; a clock that jumps changes nothing. */
export interface StopOrders {
  /** Resolves with the first order. */
  readonly first: Promise<void>;
  readonly given: boolean;
  order(grace: Duration): void;
  /** True when the promise settled before the mark. */
  settledBefore(mark: 'cut' | 'kill', promise: Promise<unknown>): Promise<boolean>;
}

export interface StopMarks {
  /** For so long the guest is asked; then the power is cut. */
  readonly cut: Duration;
  /** Then `tart run` is killed. */
  readonly kill: Duration;
}

const RESERVE = 0.2;
const MOST_RESERVE = 5_000;
/** Time to cut the power even without any grace, as a kubelet takes two seconds for it. */
const LEAST = 2_000;

/** A fifth of the grace, at most five seconds, is kept for the power cut: the process has all the rest. */
export const stopMarks = (grace: Duration): StopMarks => ({
  cut: milliseconds(grace - Math.min(grace * RESERVE, MOST_RESERVE)),
  kill: milliseconds(Math.max(grace, LEAST)),
});

export function createStopOrders(clock: Clock): StopOrders {
  const first = Promise.withResolvers<void>();
  const marks = { cut: Promise.withResolvers<void>(), kill: Promise.withResolvers<void>() };
  let given = false;
  return {
    first: first.promise,
    get given() {
      return given;
    },
    order(grace) {
      given = true;
      first.resolve();
      const { cut, kill } = stopMarks(grace);
      clock.after(cut, () => marks.cut.resolve());
      clock.after(kill, () => marks.kill.resolve());
    },
    settledBefore(mark, promise) {
      const settled = promise.then(
        () => true,
        () => true,
      );
      return Promise.race([settled, marks[mark].promise.then(() => false)]);
    },
  };
}
