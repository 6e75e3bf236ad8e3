import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestObserver } from '../client/observed-transport.ts';

/** Metrics with the names of controller-runtime and client-go, so that their dashboards and alerts work. */
export type Metrics = ReturnType<typeof createMetrics>;

const RECONCILE_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUEUE_BUCKETS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100];

export function createMetrics(registry: Registry = new Registry()) {
  const registers = [registry];
  /** Called before each scrape, to set gauges that show a current state. */
  const beforeScrape = new Set<() => void>();
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[], buckets = QUEUE_BUCKETS) =>
    new Histogram({ name, help, labelNames, buckets, registers });

  // prom-client calls `collect` of each metric on every scrape; this one refreshes all others.
  const queueDepth = new Gauge({
    name: 'workqueue_depth',
    help: 'Keys that wait for a worker',
    labelNames: ['name', 'controller'],
    registers,
    collect() {
      for (const refresh of beforeScrape) refresh();
    },
  });

  return {
    registry,
    beforeScrape,
    reconciles: counter('controller_runtime_reconcile_total', 'Reconciles per controller and result', [
      'controller',
      'result',
    ]),
    reconcileErrors: counter('controller_runtime_reconcile_errors_total', 'Reconciles that ended in an error', [
      'controller',
    ]),
    terminalErrors: counter(
      'controller_runtime_terminal_reconcile_errors_total',
      'Reconciles that ended in an error which is not retried',
      ['controller'],
    ),
    panics: counter('controller_runtime_reconcile_panics_total', 'Reconciles that failed with a programming error', [
      'controller',
    ]),
    timeouts: counter('controller_runtime_reconcile_timeouts_total', 'Reconciles that exceeded their deadline', [
      'controller',
    ]),
    reconcileTime: histogram(
      'controller_runtime_reconcile_time_seconds',
      'Duration of a reconcile',
      ['controller'],
      RECONCILE_BUCKETS,
    ),
    maxConcurrent: gauge('controller_runtime_max_concurrent_reconciles', 'Workers of a controller', ['controller']),
    activeWorkers: gauge('controller_runtime_active_workers', 'Workers in use', ['controller']),
    queueDepth,
    queueUnfinished: gauge('workqueue_unfinished_work_seconds', 'Time spent on unfinished reconciles', [
      'name',
      'controller',
    ]),
    queueLongest: gauge('workqueue_longest_running_processor_seconds', 'Age of the longest running reconcile', [
      'name',
      'controller',
    ]),
    queueAdds: counter('workqueue_adds_total', 'Keys added', ['name', 'controller']),
    queueRetries: counter('workqueue_retries_total', 'Keys added again after an error', ['name', 'controller']),
    queueWait: histogram('workqueue_queue_duration_seconds', 'Time that a key waited for a worker', [
      'name',
      'controller',
    ]),
    queueWork: histogram('workqueue_work_duration_seconds', 'Time that a worker needed for a key', [
      'name',
      'controller',
    ]),
    leader: gauge('leader_election_master_status', '1 while this process is the leader', ['name']),
    requests: counter('rest_client_requests_total', 'API requests by status code', ['code', 'method', 'host']),
    informerTroubles: counter('minifleet_informer_troubles_total', 'Interruptions of a watch, by cause', [
      'resource',
      'trouble',
    ]),
    cachedObjects: gauge('minifleet_informer_objects', 'Objects in the cache', ['resource']),
    eventsDropped: counter('minifleet_events_dropped_total', 'Events that were not written, by cause', ['cause']),
  } as const;
}

/** Counts the requests of a client: `connectClient(sources, { onRequest: countRequests(…) })`. */
export const countRequests =
  (metrics: Metrics, host: string): RequestObserver =>
  ({ method }, code) =>
    metrics.requests.inc({ code, method, host });
