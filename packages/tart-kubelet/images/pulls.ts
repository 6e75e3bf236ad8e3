import type { Clock } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { RegistryCredentials, TartCli } from '../guests/tart.ts';
import { IMAGE_PULL_FAILED } from './errors.ts';
import type { ImageLedger } from './image-ledger.ts';
import type { Images } from './images.ts';
import { pullImage, type Shared, share } from './pull-image.ts';
import {
  nothingPulled,
  type PullProgress,
  promisedBytes,
  pulledBytes,
  readPullLine,
  type Told,
  worthTelling,
} from './pull-progress.ts';

interface PullsOptions {
  readonly tart: Pick<TartCli, 'digestOf' | 'pull'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: ImageLedger;
  /** Absent when nothing may be removed on this host. */
  readonly reclaim?: Images['reclaim'] | undefined;
  /** How each pull ended; one that nobody wanted any more is not told. */
  readonly onEnded: (key: string, pull: PullReport) => void;
}

export interface PullReport {
  readonly image: string;
  /** Undefined when it was pulled. */
  readonly error: Error | undefined;
  readonly seconds: number;
  readonly bytes: number;
}

export interface WantedPull {
  readonly key: string;
  readonly reference: string;
  readonly credentials: readonly RegistryCredentials[];
}

interface Waiter {
  readonly onProgress: (words: string) => void;
  readonly signal: AbortSignal;
}

/** The pulls under way: one for all who ask under the same key. */
export interface Pulls {
  /** Resolves with the digest; starts the pull if there is none. */
  join(wanted: WantedPull, waiter: Waiter): Promise<string>;
  find(key: string): { readonly since: number; readonly progress: string } | undefined;
  /** What all of them together will still take. */
  promisedBytes(): number;
}

interface Pull {
  readonly wanted: WantedPull;
  readonly since: number;
  readonly shared: Shared<string>;
  readonly listeners: Set<(words: string) => void>;
  progress: PullProgress;
  told: Told;
}

export function createPulls(options: PullsOptions): Pulls {
  const pulls = new Map<string, Pull>();
  const start = (wanted: WantedPull): Pull => {
    const { key } = wanted;
    const leave = (): void => void (pulls.get(key) === pull && pulls.delete(key));
    const pull = startPull(options, wanted, leave);
    pulls.set(key, pull);
    return pull;
  };
  return {
    async join(wanted, { onProgress, signal }) {
      const pull = pulls.get(wanted.key) ?? start(wanted);
      // Each waiter is one listener, also when two give the same function.
      const listen = (words: string): void => onProgress(words);
      pull.listeners.add(listen);
      try {
        return await pull.shared.join(signal);
      } finally {
        pull.listeners.delete(listen);
      }
    },
    find(key) {
      const pull = pulls.get(key);
      return pull && { since: pull.since, progress: pull.progress.words };
    },
    promisedBytes: () => [...pulls.values()].reduce((total, { progress }) => total + promisedBytes(progress), 0),
  };
}

function startPull(options: PullsOptions, wanted: WantedPull, leave: () => void): Pull {
  const since = options.clock.now();
  const work = async (signal: AbortSignal): Promise<string> => {
    // Whoever comes for it while it is being given up starts another, which waits for Tart's lock.
    signal.addEventListener('abort', leave);
    // The next turn: the pull is known by then, and who started it listens.
    await Promise.resolve();
    return carryOut(options, pull, signal).finally(leave);
  };
  const pull: Pull = {
    wanted,
    since,
    told: { at: since, percent: 0, words: nothingPulled.words },
    progress: nothingPulled,
    listeners: new Set(),
    shared: share(options.clock, work),
  };
  return pull;
}

async function carryOut(options: PullsOptions, pull: Pull, signal: AbortSignal): Promise<string> {
  const { key, reference: image } = pull.wanted;
  const report = (error: Error | undefined): void => {
    const seconds = (options.clock.now() - pull.since) / 1_000;
    options.onEnded(key, { image, error, seconds, bytes: pulledBytes(pull.progress) });
  };
  try {
    const digest = await pullAndSettle(options, pull, signal);
    report(undefined);
    return digest;
  } catch (error) {
    // Given up because nobody wanted it: that is no failure of the image.
    signal.throwIfAborted();
    const failure = IMAGE_PULL_FAILED({ image, why: messageOf(error) }, { cause: error });
    report(failure);
    options.log.warn({ image, why: messageOf(error) }, 'Image not pulled');
    throw failure;
  }
}

async function pullAndSettle(options: PullsOptions, pull: Pull, signal: AbortSignal): Promise<string> {
  const { tart, clock, ledger, reclaim } = options;
  const { reference, credentials } = pull.wanted;
  await ledger.intend(reference, await tart.digestOf(reference));
  let digest: string | undefined;
  try {
    const makeRoom = reclaim && (() => reclaim('no space'));
    const onLine = (line: string): void => hear(clock, pull, line);
    await pullImage({ tart, clock, makeRoom }, { reference, credentials, signal, onLine });
    digest = await tart.digestOf(reference);
  } finally {
    const fetched = pull.progress.totalBytes !== undefined;
    await ledger.settle(reference, digest === undefined ? undefined : { digest, fetched });
  }
  if (digest === undefined) throw new Error('it was pulled and is gone again, somebody else removed it');
  return digest;
}

function hear(clock: Clock, pull: Pull, line: string): void {
  pull.progress = readPullLine(pull.progress, line);
  const { percent, words } = pull.progress;
  if (!worthTelling(pull.told, pull.progress, clock.now())) return;
  pull.told = { at: clock.now(), percent, words };
  for (const listen of pull.listeners) listen(words);
}
