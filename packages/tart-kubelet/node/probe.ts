import { type Clock, type Duration, milliseconds } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import { createWakeableSleep } from './wakeable-sleep.ts';

interface ProbeOptions<T> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly every: Duration;
  /** A look that takes longer is given up; what it would have said is not waited for. */
  readonly within: Duration;
  readonly look: (signal: AbortSignal) => Promise<T>;
  /** Called when a look came to something else than the one before. */
  readonly onChange: () => void;
  /** What to make of a look that failed; undefined keeps what was known. */
  readonly failed?: (error: unknown) => T | undefined;
}

/** Looks at one thing on its own timer and remembers: whoever asks gets the last answer at once, however slow the look. */
export interface Probe<T> {
  readonly latest: T | undefined;
  /** Looks soon instead of at its time. */
  lookSoon(): void;
  run(signal: AbortSignal): Promise<void>;
}

export function createProbe<T>(options: ProbeOptions<T>): Probe<T> {
  const { clock, every } = options;
  let latest: T | undefined;
  const rest = createWakeableSleep(clock);

  async function lookOnce(signal: AbortSignal): Promise<void> {
    const found = await lookWithin(options, signal);
    if (signal.aborted || found === undefined || JSON.stringify(found) === JSON.stringify(latest)) return;
    latest = found;
    options.onChange();
  }

  return {
    get latest() {
      return latest;
    },
    lookSoon: () => rest.wake(),
    async run(signal) {
      while (!signal.aborted) {
        await lookOnce(signal);
        await rest.sleep(jittered(every, clock), signal);
      }
    },
  };
}

/** Ten per cent later at most: probes of one agent, and of a rack, do not fire together. */
const jittered = (every: Duration, clock: Clock): Duration => milliseconds(every * (1 + 0.1 * clock.random()));

async function lookWithin<T>(options: ProbeOptions<T>, signal: AbortSignal): Promise<T | undefined> {
  const { clock, within, look, name, log } = options;
  const tooLong = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = clock.after(within, () => {
    const error = new Error(`the look at ${name} took too long`);
    tooLong.abort(error);
    reject(error);
  });
  try {
    return await Promise.race([look(AbortSignal.any([signal, tooLong.signal])), late]);
  } catch (error) {
    if (!signal.aborted) log.warn({ ...errorFields(error), probe: name }, 'A probe failed');
    return options.failed?.(error);
  } finally {
    timer.cancel();
  }
}
