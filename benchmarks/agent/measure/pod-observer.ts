import { systemClock } from '@minifleet/clock';
import { type Client, createInformer, type Pod, pods, silentLog } from '@minifleet/kube';
import { sharedClock } from '../../child/shared-clock.ts';

/** Times at which one observer first saw each state of a Pod. The lag of its watch is the same at both ends of a duration. */
export interface PodMoments {
  bound: number | undefined;
  running: number | undefined;
  gone: number | undefined;
}

export interface PodObserver {
  moments(name: string): PodMoments;
  /** Resolves when all of these Pods have reached this state. */
  reached(names: readonly string[], moment: keyof PodMoments): Promise<void>;
  stop(): Promise<void>;
}

export async function observePods(client: Client): Promise<PodObserver> {
  const observed = new Map<string, PodMoments>();
  const waiters = new Set<() => void>();
  const informer = createInformer<Pod>({ client, resource: pods, clock: systemClock, log: silentLog });
  const stop = new AbortController();

  const moments = (name: string): PodMoments => {
    const known = observed.get(name) ?? { bound: undefined, running: undefined, gone: undefined };
    observed.set(name, known);
    return known;
  };
  informer.subscribe(({ type, object }) => {
    const of = moments(object.metadata.name);
    if (object.spec?.nodeName) of.bound ??= sharedClock();
    if (object.status?.phase === 'Running') of.running ??= sharedClock();
    if (type === 'deleted') of.gone ??= sharedClock();
    for (const check of waiters) check();
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

// Longer than the slowest measurement, so that a hanging benchmark ends.
const TIMEOUT = 90_000;

function reachedBy(waiters: Set<() => void>, holds: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(deadline);
      waiters.delete(check);
    };
    const check = (): void => {
      if (!holds()) return;
      end();
      resolve();
    };
    const late = (): void => {
      end();
      reject(new Error(`Pods did not reach the state within ${TIMEOUT / 1_000} s`));
    };
    const deadline = setTimeout(late, TIMEOUT);
    waiters.add(check);
    check();
  });
}
