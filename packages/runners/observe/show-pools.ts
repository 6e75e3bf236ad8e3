import { names, type RunnerPool, runnerOutcomes } from '@minifleet/api';
import { type Clock, type Duration, seconds } from '@minifleet/clock';
import { type Condition, findCondition, type Node, type Pod } from '@minifleet/kube';
import type { PoolFigures } from '../pool/pool-deps.ts';
import type { RunnersGauges } from './metric-table.ts';
import { STUCK_CAUSES, stuckCause } from './stuck-cause.ts';

export interface PoolSources {
  readonly clock: Clock;
  readonly stuckAfter: Duration;
  readonly pools: () => readonly RunnerPool[];
  readonly pods: () => readonly Pod[];
  readonly node: (name: string) => Node | undefined;
  /** Only the leader has these. */
  readonly figures: () => readonly PoolFigures[];
}

const PHASES = ['Pending', 'Running', 'Unknown'];
const OUTCOMES = Object.keys(runnerOutcomes);

/** Recomputes all gauges of pools, so that no series outlives its pool. */
export function showPools(metrics: RunnersGauges, sources: PoolSources): void {
  for (const metric of perPool(metrics)) metric.reset();
  for (const pool of sources.pools()) showPool(metrics, pool);
  for (const pod of sources.pods()) showPod(metrics, pod, sources);
  for (const figures of sources.figures()) showFigures(metrics, figures);
}

const perPool = (metrics: RunnersGauges) => [
  ...[metrics.wanted, metrics.idle, metrics.busy, metrics.pending, metrics.terminating, metrics.stale],
  ...[metrics.phases, metrics.stuck, metrics.ready, metrics.forgeReachable, metrics.crashes],
  ...[metrics.versionSupported, metrics.versionEnds],
  ...[metrics.ends, metrics.startTimeouts, metrics.oldestPending, metrics.rollCap, metrics.leftBehind],
];

/** Every state has a series; otherwise an alert on zero, or on the first event, would have no data. */
function showPool(metrics: RunnersGauges, object: RunnerPool): void {
  const { metadata, spec, status } = object;
  const pool = { namespace: metadata.namespace ?? '', pool: metadata.name };
  metrics.wanted.set(pool, spec.replicas);
  for (const count of ['idle', 'busy', 'pending', 'terminating', 'stale'] as const) {
    metrics[count].set(pool, status?.[count] ?? 0);
  }
  metrics.crashes.set(pool, status?.crashes?.failures ?? 0);
  for (const phase of PHASES) metrics.phases.set({ ...pool, phase }, 0);
  for (const cause of STUCK_CAUSES) metrics.stuck.set({ ...pool, cause }, 0);
  for (const outcome of OUTCOMES) metrics.ends.inc({ ...pool, outcome }, status?.ended?.[outcome] ?? 0);
  metrics.startTimeouts.inc(pool, status?.ended?.['NeverStarted'] ?? 0);
  showCondition(metrics.ready, pool, findCondition(object, 'Ready'));
  showCondition(metrics.forgeReachable, pool, findCondition(object, 'ForgeReachable'));
  showCondition(metrics.versionSupported, pool, findCondition(object, 'RunnerVersionSupported'));
}

interface OfPool {
  readonly namespace: string;
  readonly pool: string;
}

/** A condition that is not set yet has no series. */
function showCondition(gauge: RunnersGauges['ready'], pool: OfPool, condition: Condition | undefined): void {
  if (condition) gauge.set({ ...pool, reason: condition.reason }, condition.status === 'True' ? 1 : 0);
}

function showPod(metrics: RunnersGauges, pod: Pod, { clock, stuckAfter, node }: PoolSources): void {
  const { namespace = '', labels } = pod.metadata;
  const pool = { namespace, pool: labels?.[names.labels.runnerPool] ?? '' };
  const phase = pod.status?.phase ?? 'Pending';
  if (PHASES.includes(phase)) metrics.phases.inc({ ...pool, phase });
  const view = { node: node(pod.spec?.nodeName ?? ''), now: clock.now(), stuckAfter };
  const cause = stuckCause(pod, view);
  if (cause) metrics.stuck.inc({ ...pool, cause });
}

function showFigures(metrics: RunnersGauges, figures: PoolFigures): void {
  const pool = { namespace: figures.namespace, pool: figures.name };
  metrics.oldestPending.set(pool, figures.oldestPending / seconds(1));
  metrics.rollCap.set(pool, figures.rollCap);
  metrics.leftBehind.set(pool, figures.staleRegistrations);
  const { versionEnds } = figures;
  if (versionEnds) metrics.versionEnds.set({ ...pool, version: versionEnds.version }, versionEnds.at / seconds(1));
}
