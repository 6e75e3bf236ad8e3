import { type Metrics, metricsIn } from '@minifleet/kube';
import { runnersMetricTable as table } from './metric-table.ts';

/** Aim: half a second from a Pod that is gone to the one in its place. */
const REPLACEMENT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const START_BUCKETS = [5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_200];

export type RunnersGauges = ReturnType<typeof defineMetrics>;

export function defineMetrics({ registry }: Metrics) {
  const { gauge, counter, histogram } = metricsIn(registry);
  return {
    wanted: gauge(table.wanted),
    idle: gauge(table.idle),
    busy: gauge(table.busy),
    pending: gauge(table.pending),
    oldestPending: gauge(table.oldestPending),
    phases: gauge(table.phases),
    terminating: gauge(table.terminating),
    stuck: gauge(table.stuck),
    stale: gauge(table.stale),
    rollCap: gauge(table.rollCap),
    leftBehind: gauge(table.leftBehind),
    ready: gauge(table.ready),
    forgeReachable: gauge(table.forgeReachable),
    crashes: gauge(table.crashes),
    ends: counter(table.ends),
    startTimeouts: counter(table.startTimeouts),
    replacement: histogram(table.replacement, REPLACEMENT_BUCKETS),
    start: histogram(table.start, START_BUCKETS),
    passedAt: gauge(table.passedAt),
    forgeRequests: counter(table.forgeRequests),
    readyNodes: gauge(table.readyNodes),
    filteredNodes: gauge(table.filteredNodes),
    target: gauge(table.target),
    allocated: gauge(table.allocated),
    warmDeficit: gauge(table.warmDeficit),
    warmFloor: gauge(table.warmFloor),
    claimedJobs: gauge(table.claimedJobs),
    occupied: gauge(table.occupied),
    queuedJobs: gauge(table.queuedJobs),
    signalRequests: counter(table.signalRequests),
  } satisfies Record<keyof typeof table, unknown>;
}
