import { names } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { type Client, createInformer, pods, silentLog } from '@minifleet/kube';
import { createVacancies } from '@minifleet/runners/testing/observe';
import { POOLS_NAMESPACE } from '@minifleet/runners/testing/program';
import { sharedClock } from '../../child/shared-clock.ts';

/** Durations for which runner slots were free, as observed by one watch. */
export interface VacancyObserver extends AsyncDisposable {
  /** Milliseconds of each slot that was filled since the last call. */
  take(): readonly number[];
  /** Names of the current Pods. */
  pods(): readonly string[];
}

/** Measures from the end of a runner, or the deletion of its Pod, to the creation of its successor. */
export async function observeVacancies(client: Client, wanted: number): Promise<VacancyObserver> {
  const selection = { namespace: POOLS_NAMESPACE, labelSelector: `${names.labels.runner}=true` };
  const informer = createInformer({ client, resource: pods, selection, clock: systemClock, log: silentLog });
  let filled: number[] = [];
  informer.subscribe(
    createVacancies({
      clock: { ...systemClock, now: sharedClock },
      wanted: () => wanted,
      onFilled: (_, seconds) => void filled.push(seconds * 1_000),
    }),
  );
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.synced;
  return {
    take() {
      const all = filled;
      filled = [];
      return all;
    },
    pods: () => informer.cache.list().map(({ metadata }) => metadata.name),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
