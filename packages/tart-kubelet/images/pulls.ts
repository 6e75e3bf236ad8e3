import type { Clock } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { RegistryCredentials, TartCli } from '../guests/tart.ts';
import { IMAGE_PULL_FAILED } from './errors.ts';
import type { ImageLedger } from './image-ledger.ts';
import type { Images } from './images.ts';
import { pullImage, type SharedTask, shareTask } from './pull-image.ts';
import {
  nothingPulled,
  type PullProgress,
  promisedBytes,
  pulledBytes,
  type ReportedProgress,
  readPullLine,
  shouldReport,
} from './pull-progress.ts';

interface PullsOptions {
  readonly tart: Pick<TartCli, 'digestOf' | 'pull'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: ImageLedger;
  /** Absent if nothing may be removed on this host. */
  readonly reclaim?: Images['reclaim'] | undefined;
  /** Called when a pull ends, except for one cancelled because no Pod waits for it. */
  readonly onEnded: (key: string, pull: PullReport) => void;
}

export interface PullReport {
  readonly image: string;
  /** Undefined if the pull succeeded. */
  readonly error: Error | undefined;
  readonly seconds: number;
  readonly bytes: number;
}

export interface PullRequest {
  readonly key: string;
  readonly reference: string;
  readonly credentials: readonly RegistryCredentials[];
}

interface PullWaiter {
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Pulls in progress: one per key. */
export interface Pulls {
  /** Resolves with the digest; starts the pull if there is none. */
  join(request: PullRequest, waiter: PullWaiter): Promise<string>;
  find(key: string): { readonly since: number; readonly progress: string } | undefined;
  /** Bytes that all pulls together will still use. */
  promisedBytes(): number;
}

interface PullInProgress {
  readonly request: PullRequest;
  readonly since: number;
  readonly shared: SharedTask<string>;
  readonly listeners: Set<(message: string) => void>;
  progress: PullProgress;
  reported: ReportedProgress;
}

export function createPulls(options: PullsOptions): Pulls {
  const pulls = new Map<string, PullInProgress>();
  const start = (request: PullRequest): PullInProgress => {
    const { key } = request;
    const leave = (): void => void (pulls.get(key) === pull && pulls.delete(key));
    const pull = startPull(options, request, leave);
    pulls.set(key, pull);
    return pull;
  };
  return {
    async join(request, { onProgress, signal }) {
      const pull = pulls.get(request.key) ?? start(request);
      // Each waiter is a separate listener, even if two pass the same function.
      const listen = (message: string): void => onProgress(message);
      pull.listeners.add(listen);
      try {
        return await pull.shared.join(signal);
      } finally {
        pull.listeners.delete(listen);
      }
    },
    find(key) {
      const pull = pulls.get(key);
      return pull && { since: pull.since, progress: pull.progress.message };
    },
    promisedBytes: () => [...pulls.values()].reduce((total, { progress }) => total + promisedBytes(progress), 0),
  };
}

function startPull(options: PullsOptions, request: PullRequest, leave: () => void): PullInProgress {
  const since = options.clock.now();
  const work = async (signal: AbortSignal): Promise<string> => {
    // A request during the cancellation starts another pull, which waits for Tart's lock.
    signal.addEventListener('abort', leave);
    // Waits one turn, so that the pull is registered and its first waiter listens.
    await Promise.resolve();
    return runPull(options, pull, signal).finally(leave);
  };
  const pull: PullInProgress = {
    request,
    since,
    reported: { at: since, percent: 0, message: nothingPulled.message },
    progress: nothingPulled,
    listeners: new Set(),
    shared: shareTask(options.clock, work),
  };
  return pull;
}

async function runPull(options: PullsOptions, pull: PullInProgress, signal: AbortSignal): Promise<string> {
  const { key, reference: image } = pull.request;
  const report = (error: Error | undefined): void => {
    const seconds = (options.clock.now() - pull.since) / 1_000;
    options.onEnded(key, { image, error, seconds, bytes: pulledBytes(pull.progress) });
  };
  try {
    const digest = await pullAndSettle(options, pull, signal);
    report(undefined);
    return digest;
  } catch (error) {
    // A pull cancelled because no Pod waits for it is not a failure of the image.
    signal.throwIfAborted();
    const failure = IMAGE_PULL_FAILED({ image, why: messageOf(error) }, { cause: error });
    report(failure);
    options.log.warn({ image, why: messageOf(error) }, 'Image pull failed');
    throw failure;
  }
}

async function pullAndSettle(options: PullsOptions, pull: PullInProgress, signal: AbortSignal): Promise<string> {
  const { tart, clock, ledger, reclaim } = options;
  const { reference, credentials } = pull.request;
  await ledger.intend(reference, await tart.digestOf(reference));
  let digest: string | undefined;
  try {
    const makeRoom = reclaim && (() => reclaim('no space'));
    const onLine = (line: string): void => onTartLine(clock, pull, line);
    await pullImage({ tart, clock, makeRoom }, { reference, credentials, signal, onLine });
    digest = await tart.digestOf(reference);
  } finally {
    const fetched = pull.progress.totalBytes !== undefined;
    await ledger.settle(reference, digest === undefined ? undefined : { digest, fetched });
  }
  if (digest === undefined) throw new Error('removed by another process right after the pull');
  return digest;
}

function onTartLine(clock: Clock, pull: PullInProgress, line: string): void {
  pull.progress = readPullLine(pull.progress, line);
  const { percent, message } = pull.progress;
  if (!shouldReport(pull.reported, pull.progress, clock.now())) return;
  pull.reported = { at: clock.now(), percent, message };
  for (const listen of pull.listeners) listen(message);
}
