import { type Clock, formatDuration, minutes, type Timer } from '@minifleet/clock';
import type { RegistryCredentials, TartCli } from '../guests/tart.ts';
import { isTartError } from '../guests/tart-error.ts';
import { IMAGE_PULL_STALLED } from './errors.ts';

/** One piece of work that many wait for; each may leave without ending it for the others. */
export interface Shared<T> {
  /** Rejects with the signal's reason when this waiter leaves. */
  join(signal: AbortSignal): Promise<T>;
}

// A Pod that is replaced comes back within seconds; the gigabytes that arrived would be lost with the process.
const LINGER = minutes(1);

/**
 * Starts the work at once. When nobody has waited for a minute it is given up: Tart takes one pull a registry at a
 * time, so one that nobody wants holds up those somebody does.
 */
export function share<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
  const unwanted = new AbortController();
  const result = work(unwanted.signal);
  let waiting = 0;
  let over = false;
  let linger: Timer | undefined;
  const end = (): void => {
    over = true;
    linger?.cancel();
  };
  result.then(end, end);
  const leave = (): void => {
    waiting -= 1;
    if (waiting > 0 || over) return;
    linger = clock.after(LINGER, () => unwanted.abort(new Error('nobody wants the image any more')));
  };
  return {
    async join(signal) {
      signal.throwIfAborted();
      waiting += 1;
      linger?.cancel();
      try {
        return await unlessAborted(result, signal);
      } finally {
        leave();
      }
    },
  };
}

function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  return promise;
}

// A percent of a large image on a line of 1 MB/s takes a quarter of an hour.
const PATIENCE = minutes(30);

/** Gives a pull up when nothing is heard of it any more. There is no limit to its whole: a slow line must end, too. */
interface StallWatch {
  readonly signal: AbortSignal;
  heard(line: string): void;
  stop(): void;
}

export function watchForStall(clock: Clock): StallWatch {
  const stalled = new AbortController();
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = clock.after(PATIENCE, () => stalled.abort(IMAGE_PULL_STALLED({ after: formatDuration(PATIENCE) })));
  };
  wait();
  return {
    signal: stalled.signal,
    heard(line) {
      timer?.cancel();
      // Behind another pull from the same registry it is silent as long as that one takes.
      if (line.trim() !== 'waiting for lock...') wait();
    },
    stop: () => timer?.cancel(),
  };
}

interface PullImageOptions {
  readonly tart: Pick<TartCli, 'pull'>;
  readonly clock: Clock;
  /** Absent when nothing may be removed on this host: a full disk then fails the pull at once. */
  readonly makeRoom?: (() => Promise<unknown>) | undefined;
}

interface PullWanted {
  readonly reference: string;
  /** Tried in turn; none means without a name. */
  readonly credentials: readonly RegistryCredentials[];
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Pulls; a full disk is cleaned up once and the pull tried once more (B5). The second failure is the answer. */
export async function pullImage(options: PullImageOptions, wanted: PullWanted): Promise<void> {
  try {
    await pullWithSomeCredentials(options, wanted);
  } catch (error) {
    if (!isTartError(error, 'no space') || !options.makeRoom) throw error;
    wanted.onLine('no space left, cleaning up once');
    await options.makeRoom();
    await pullWithSomeCredentials(options, wanted);
  }
}

/** The next pair is tried only when the registry refuses one: any other failure would be the same with the next. */
async function pullWithSomeCredentials(options: PullImageOptions, wanted: PullWanted): Promise<void> {
  const [first, ...others] = wanted.credentials;
  try {
    await pullOnce(options, wanted, first);
  } catch (error) {
    if (!isTartError(error, 'not allowed') || others.length === 0) throw error;
    await pullWithSomeCredentials(options, { ...wanted, credentials: others });
  }
}

async function pullOnce(
  { tart, clock }: PullImageOptions,
  { reference, signal, onLine }: PullWanted,
  credentials: RegistryCredentials | undefined,
): Promise<void> {
  const stall = watchForStall(clock);
  const onProgress = (line: string): void => {
    stall.heard(line);
    onLine(line);
  };
  try {
    await tart.pull(reference, { credentials, signal: AbortSignal.any([signal, stall.signal]), onProgress });
  } catch (error) {
    stall.signal.throwIfAborted();
    throw error;
  } finally {
    stall.stop();
  }
}
