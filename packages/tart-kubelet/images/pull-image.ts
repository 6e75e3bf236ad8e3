import { type Clock, formatDuration, minutes, type Timer } from '@minifleet/clock';
import type { RegistryCredentials, TartCli } from '../guests/tart.ts';
import { isTartError } from '../guests/tart-error.ts';
import { IMAGE_PULL_STALLED } from './errors.ts';

/** A task with several waiters; each may leave without ending it for the others. */
export interface SharedTask<T> {
  /** Rejects with the signal's reason when this waiter leaves. */
  join(signal: AbortSignal): Promise<T>;
}

// A replaced Pod comes back within seconds; cancelling immediately would discard the downloaded gigabytes.
const LINGER = minutes(1);

/**
 * Starts the task immediately, and cancels it after a minute without waiters: Tart runs one pull per registry at a
 * time, so an abandoned pull would block others.
 */
export function shareTask<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): SharedTask<T> {
  const abandoned = new AbortController();
  const result = work(abandoned.signal);
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
    linger = clock.after(LINGER, () => abandoned.abort(new Error('no Pod is waiting for the image')));
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

// One percent of a large image at 1 MB/s takes a quarter of an hour.
const STALL_TIMEOUT = minutes(30);

/** Cancels a pull without progress. The total time is not limited, because a slow pull must be able to finish. */
interface StallWatch {
  readonly signal: AbortSignal;
  progressed(line: string): void;
  stop(): void;
}

export function watchForStall(clock: Clock): StallWatch {
  const stalled = new AbortController();
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = clock.after(STALL_TIMEOUT, () =>
      stalled.abort(IMAGE_PULL_STALLED({ after: formatDuration(STALL_TIMEOUT) })),
    );
  };
  wait();
  return {
    signal: stalled.signal,
    progressed(line) {
      timer?.cancel();
      // Silent while another pull from the same registry runs.
      if (line.trim() !== 'waiting for lock...') wait();
    },
    stop: () => timer?.cancel(),
  };
}

interface PullImageOptions {
  readonly tart: Pick<TartCli, 'pull'>;
  readonly clock: Clock;
  /** Absent if nothing may be removed on this host: a full disk then fails the pull immediately. */
  readonly makeRoom?: (() => Promise<unknown>) | undefined;
}

interface PullAttempt {
  readonly reference: string;
  /** Tried in order; empty for an anonymous pull. */
  readonly credentials: readonly RegistryCredentials[];
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Pulls an image; a full disk is cleaned up once and the pull retried once (B5). A second failure is final. */
export async function pullImage(options: PullImageOptions, attempt: PullAttempt): Promise<void> {
  try {
    await pullWithCredentials(options, attempt);
  } catch (error) {
    if (!isTartError(error, 'no space') || !options.makeRoom) throw error;
    attempt.onLine('no space left, removing unused images');
    await options.makeRoom();
    await pullWithCredentials(options, attempt);
  }
}

/** The next credentials are tried only if the registry rejects the first: any other failure would repeat. */
async function pullWithCredentials(options: PullImageOptions, attempt: PullAttempt): Promise<void> {
  const [first, ...others] = attempt.credentials;
  try {
    await pullOnce(options, attempt, first);
  } catch (error) {
    if (!isTartError(error, 'not allowed') || others.length === 0) throw error;
    await pullWithCredentials(options, { ...attempt, credentials: others });
  }
}

async function pullOnce(
  { tart, clock }: PullImageOptions,
  { reference, signal, onLine }: PullAttempt,
  credentials: RegistryCredentials | undefined,
): Promise<void> {
  const stall = watchForStall(clock);
  const onProgress = (line: string): void => {
    stall.progressed(line);
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
