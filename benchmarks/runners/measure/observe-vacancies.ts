import { names } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { type Client, createInformer, pods, silentLog } from '@minifleet/kube';
import { createVacancies } from '../../../packages/runners/observe/vacancies.ts';
import { POOLS_NAMESPACE } from '../../../packages/runners/program/access.ts';
import { sharedClock } from '../../child/shared-clock.ts';

/** How long places of pools were empty, as one watch of the benchmark saw them. */
export interface VacancyObserver extends AsyncDisposable {
  /** Milliseconds of each place that was filled since this was last asked. */
  take(): readonly number[];
  /** Names of all Pods there are now. */
  pods(): readonly string[];
}

/** From a runner's end, or from its Pod's deletion, until the Pod in its place is made. */
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
