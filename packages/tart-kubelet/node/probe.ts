import { type Clock, type Duration, milliseconds } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import { createWakeableSleep } from './wakeable-sleep.ts';

interface NodeProbeSettings<T> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly every: Duration;
  /** A check that takes longer is cancelled, and its result ignored. */
  readonly within: Duration;
  readonly check: (signal: AbortSignal) => Promise<T>;
  /** Called when a check has a different result than the one before. */
  readonly onChange: () => void;
  /** Result of a failed check; undefined keeps the previous result. */
  readonly failed?: (error: unknown) => T | undefined;
}

/** Checks one thing on its own timer and keeps the result, so that readers never wait for a slow check. */
export interface NodeProbe<T> {
  readonly latest: T | undefined;
  /** Runs the next check immediately. */
  checkNow(): void;
  run(signal: AbortSignal): Promise<void>;
}

export function createProbe<T>(options: NodeProbeSettings<T>): NodeProbe<T> {
  const { clock, every } = options;
  let latest: T | undefined;
  const rest = createWakeableSleep(clock);

  async function checkOnce(signal: AbortSignal): Promise<void> {
    const found = await checkWithTimeout(options, signal);
    if (signal.aborted || found === undefined || JSON.stringify(found) === JSON.stringify(latest)) return;
    latest = found;
    options.onChange();
  }

  return {
    get latest() {
      return latest;
    },
    checkNow: () => rest.wake(),
    async run(signal) {
      while (!signal.aborted) {
        await checkOnce(signal);
        await rest.sleep(jittered(every, clock), signal);
      }
    },
  };
}

/** Up to ten percent later, so that the probes of an agent, or of a rack, do not run at the same time. */
const jittered = (every: Duration, clock: Clock): Duration => milliseconds(every * (1 + 0.1 * clock.random()));

async function checkWithTimeout<T>(options: NodeProbeSettings<T>, signal: AbortSignal): Promise<T | undefined> {
  const { clock, within, check, name, log } = options;
  const tooLong = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = clock.after(within, () => {
    const error = new Error(`probe ${name} timed out`);
    tooLong.abort(error);
    reject(error);
  });
  try {
    return await Promise.race([check(AbortSignal.any([signal, tooLong.signal])), late]);
  } catch (error) {
    if (!signal.aborted) log.warn({ ...errorFields(error), probe: name }, 'Probe failed');
    return options.failed?.(error);
  } finally {
    timer.cancel();
  }
}
