import type { RunnerPool } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { keyOf, keyString } from '@minifleet/kube';
import { allocate, type Claimant } from './allocate.ts';
import type { Signals } from './signals.ts';

/** A pool that is scaled, and the demand on it. */
export interface PoolDemand {
  readonly pool: RunnerPool;
  readonly signals: Signals;
}

/** What a pool was found to need. */
export interface ScalingDecision {
  readonly namespace: string;
  readonly name: string;
  readonly signals: Signals;
  readonly load: number;
  readonly floor: number;
  /** What it would have alone on its Macs. */
  readonly target: number;
  /** What it has beside the others. */
  readonly allocated: number;
}

/** Only with a bound: `maxReplicas: 0` leaves replicas to whoever wrote them. */
export const isScaled = ({ spec: { autoscaling } }: RunnerPool): boolean =>
  autoscaling.enabled && autoscaling.maxReplicas > 0;

/** Pools whose runners go to the same Macs. */
export const sharesMacs =
  ({ spec: { os, fleetSelector } }: RunnerPool) =>
  ({ spec }: RunnerPool): boolean =>
    spec.os === os && spec.fleetSelector === fleetSelector;

/**
 * What the asking pool needs among all that share its Macs. Without slots that are known it is as if it were alone: no demand falls
 * because Nodes cannot be seen for a moment.
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

/** Warm runners that the pool should have beyond its jobs, and has no slots for. */
export const warmDeficit = ({
  load,
  floor,
  target,
  allocated,
}: Pick<ScalingDecision, 'load' | 'floor' | 'target' | 'allocated'>): number =>
  Math.max(0, Math.min(Math.max(0, load) + floor, target) - Math.max(allocated, load));

/** Of `spec.autoscaling`. */
export interface ScalingBounds {
  readonly minWarmPoolFloor: number;
  readonly maxReplicas: number;
}

/**
 * Runners that have a job, or would have one at once. Jobs that wait for a limit count as one: none at all, and nobody would be
 * there to take the first that is let go; all of them, and runners would stand idle for as long as the limit holds.
 */
export const loadOf = ({ claimed, occupied, queued, withheld }: Signals): number =>
  Math.max(occupied, claimed) + queued + (withheld > 0 ? 1 : 0);

/** Runners that the pool should have if it were alone on its Macs; undefined where nothing bounds it, so that nobody scales it. */
export function desiredReplicas(signals: Signals, bounds: ScalingBounds): number | undefined {
  if (bounds.maxReplicas <= 0) return undefined;
  const warm = Math.max(loadOf(signals), signals.p95) + bounds.minWarmPoolFloor;
  return Math.min(Math.max(0, warm), bounds.maxReplicas);
}

/** Demand has been below what there is, without a break. */
export interface LowDemand {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The most that was wanted meanwhile. */
  readonly most: number;
}

export interface ScaleView {
  readonly now: number;
  readonly replicas: number;
  readonly wanted: number;
  readonly low: LowDemand | undefined;
  readonly cooldown: Duration;
}

export interface NextScale {
  readonly replicas: number;
  readonly low: LowDemand | undefined;
}

/**
 * Up at once; down only after the demand was low for the whole cooldown, and only to the most that was wanted meanwhile. What was
 * low is not written down: a new process begins to count anew, which only delays.
 */
export function nextScale({ now, replicas, wanted, low, cooldown }: ScaleView): NextScale {
  if (wanted >= replicas) return { replicas: wanted, low: undefined };
  const since = low?.since ?? now;
  const most = Math.max(low?.most ?? 0, wanted);
  if (now - since < cooldown) return { replicas, low: { since, most } };
  // It may have been scaled down by hand meanwhile.
  return { replicas: Math.min(most, replicas), low: undefined };
}
