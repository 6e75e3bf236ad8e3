import type { Clock } from '@minifleet/clock';
import type { ForgeRequest } from '@minifleet/forges';
import { createMetrics, type Metrics, type ObjectKey, registerMetrics } from '@minifleet/kube';
import { runnersMetricTable } from './metric-table.ts';
import { type PoolSources, showPools } from './show-pools.ts';
import { type ScalingSources, showScaling } from './show-scaling.ts';

/** Metrics of the runners program, in one registry with those of its controllers. */
export interface RunnersMetrics {
  readonly kube: Metrics;
  /** Gauges of current state are computed from these before each scrape. */
  readonly follow: (sources: PoolSources & ScalingSources) => void;
  readonly passed: () => void;
  readonly replaced: (pool: Required<ObjectKey>, seconds: number) => void;
  readonly started: (pool: Required<ObjectKey>, seconds: number) => void;
  readonly forgeCalled: (end: ForgeRequest) => void;
  readonly signalsAsked: (outcome: string) => void;
}

export function createRunnersMetrics(clock: Clock, kube: Metrics = createMetrics()): RunnersMetrics {
  const metrics = registerMetrics(kube.registry, runnersMetricTable);
  return {
    kube,
    follow: sources =>
      void kube.beforeScrape.add(() => {
        showPools(metrics, sources);
        showScaling(metrics, sources);
      }),
    passed: () => metrics.passedAt.set(clock.now() / 1_000),
    replaced: ({ namespace, name }, seconds) => metrics.replacement.observe({ namespace, pool: name }, seconds),
    started: ({ namespace, name }, seconds) => metrics.start.observe({ namespace, pool: name }, seconds),
    forgeCalled: ({ forge, call, outcome }) => metrics.forgeRequests.inc({ forge, call, outcome }),
    signalsAsked: outcome => metrics.signalRequests.inc({ outcome }),
  };
}
