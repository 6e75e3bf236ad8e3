import { systemClock } from '@minifleet/clock';
import { type Client, createInformer, type Pod, pods, silentLog } from '@minifleet/kube';
import { sharedClock } from '../../child/shared-clock.ts';

/** When a Pod was first seen so, by one observer: what its own watch lags behind is the same on both ends of a time. */
export interface PodMoments {
  bound: number | undefined;
  running: number | undefined;
  gone: number | undefined;
}

export interface PodObserver {
  moments(name: string): PodMoments;
  /** Resolves when every one of these Pods has come to this moment. */
  reached(names: readonly string[], moment: keyof PodMoments): Promise<void>;
  stop(): Promise<void>;
}

export async function observePods(client: Client): Promise<PodObserver> {
  const seen = new Map<string, PodMoments>();
  const waiters = new Set<() => void>();
  const informer = createInformer<Pod>({ client, resource: pods, clock: systemClock, log: silentLog });
  const stop = new AbortController();

  const moments = (name: string): PodMoments => {
    const known = seen.get(name) ?? { bound: undefined, running: undefined, gone: undefined };
    seen.set(name, known);
    return known;
  };
  informer.subscribe(({ type, object }) => {
    const of = moments(object.metadata.name);
    if (object.spec?.nodeName) of.bound ??= sharedClock();
    if (object.status?.phase === 'Running') of.running ??= sharedClock();
    if (type === 'deleted') of.gone ??= sharedClock();
    for (const look of waiters) look();
  });
  const running = informer.run(stop.signal);
  await informer.synced;
  return {
    moments,
    reached: (names, moment) => reachedBy(waiters, () => names.every(name => moments(name)[moment] !== undefined)),
    async stop() {
      stop.abort();
      await running;
    },
  };
}

// Longer than the slowest way takes: a benchmark that hangs must end by itself.
const TIMEOUT = 90_000;

function reachedBy(waiters: Set<() => void>, holds: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(deadline);
      waiters.delete(look);
    };
    const look = (): void => {
      if (!holds()) return;
      end();
      resolve();
    };
    const late = (): void => {
      end();
      reject(new Error(`Pods did not come where they should within ${TIMEOUT / 1_000} s`));
    };
    const deadline = setTimeout(late, TIMEOUT);
    waiters.add(look);
    look();
  });
}
