import type { RunnerPool } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { keyOf, keyString } from '@minifleet/kube';
import { allocate, type Claimant } from './allocate.ts';
import type { Signals } from './signals.ts';

/** A scaled pool and its demand. */
export interface PoolDemand {
  readonly pool: RunnerPool;
  readonly signals: Signals;
}

/** Scaling decision for a pool. */
export interface ScalingDecision {
  readonly namespace: string;
  readonly name: string;
  readonly signals: Signals;
  readonly load: number;
  readonly floor: number;
  /** Replicas it would get without other pools. */
  readonly target: number;
  /** Replicas it gets next to other pools. */
  readonly allocated: number;
}

/** Requires a bound: with `maxReplicas: 0` the replicas are left unchanged. */
export const isScaled = ({ spec: { autoscaling } }: RunnerPool): boolean =>
  autoscaling.enabled && autoscaling.maxReplicas > 0;

/** True for pools whose runners use the same Macs. */
export const sharesMacs =
  ({ spec: { os, fleetSelector } }: RunnerPool) =>
  ({ spec }: RunnerPool): boolean =>
    spec.os === os && spec.fleetSelector === fleetSelector;

/**
 * Decides the replicas of the asking pool among all that share its Macs. With unknown slots it is treated as alone, so
 * that no demand drops because Nodes are briefly invisible.
 */
export function decide(asking: PoolDemand, all: readonly PoolDemand[], slots: number | undefined): ScalingDecision {
  const alone = claimantOf(asking);
  const shares = slots === undefined ? undefined : allocate(all.map(claimantOf), slots);
  const { namespace = '', name } = asking.pool.metadata;
  const { load, floor, target } = alone;
  return {
    namespace,
    name,
    signals: asking.signals,
    load,
    floor,
    target,
    allocated: shares?.get(alone.key) ?? target,
  };
}

function claimantOf({ pool, signals }: PoolDemand): Claimant {
  const { autoscaling, replicas } = pool.spec;
  return {
    key: keyString(keyOf(pool)),
    load: loadOf(signals),
    floor: autoscaling.minWarmPoolFloor,
    target: desiredReplicas(signals, autoscaling) ?? replicas,
  };
}

/** Warm runners that the pool should have in addition to its jobs but has no slots for. */
export const warmDeficit = ({
  load,
  floor,
  target,
  allocated,
}: Pick<ScalingDecision, 'load' | 'floor' | 'target' | 'allocated'>): number =>
  Math.max(0, Math.min(Math.max(0, load) + floor, target) - Math.max(allocated, load));

/** Bounds from `spec.autoscaling`. */
interface ScalingBounds {
  readonly minWarmPoolFloor: number;
  readonly maxReplicas: number;
}

/**
 * Runners with a job, or that would get one at once. Jobs held by a limit count as one: with zero no runner would be
 * ready for the first one released, and with all of them runners would stay idle while the limit lasts.
 */
export const loadOf = ({ claimed, occupied, queued, withheld }: Signals): number =>
  Math.max(occupied, claimed) + queued + (withheld > 0 ? 1 : 0);

/** Replicas of the pool without other pools; undefined without a bound, so that it is not scaled. */
export function desiredReplicas(signals: Signals, bounds: ScalingBounds): number | undefined {
  if (bounds.maxReplicas <= 0) return undefined;
  const warm = Math.max(loadOf(signals), signals.p95) + bounds.minWarmPoolFloor;
  return Math.min(Math.max(0, warm), bounds.maxReplicas);
}

/** Uninterrupted period of low demand. */
export interface LowDemand {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Highest demand in this period. */
  readonly most: number;
}

interface ScaleView {
  readonly now: number;
  readonly replicas: number;
  readonly wanted: number;
  readonly low: LowDemand | undefined;
  readonly cooldown: Duration;
}

interface NextScale {
  readonly replicas: number;
  readonly low: LowDemand | undefined;
}

/**
 * Scales up at once, and down only after the demand was low for the whole cooldown, to the highest demand in that
 * period. The period is not persisted: a new process starts again, which only delays.
 */
export function nextScale({ now, replicas, wanted, low, cooldown }: ScaleView): NextScale {
  if (wanted >= replicas) return { replicas: wanted, low: undefined };
  const since = low?.since ?? now;
  const most = Math.max(low?.most ?? 0, wanted);
  if (now - since < cooldown) return { replicas, low: { since, most } };
  // It may have been scaled down by hand meanwhile.
  return { replicas: Math.min(most, replicas), low: undefined };
}
