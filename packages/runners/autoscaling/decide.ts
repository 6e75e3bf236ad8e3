import type { RunnerPool } from '@minifleet/api';
import { keyOf, keyString } from '@minifleet/kube';
import { allocate, type Claimant } from './allocate.ts';
import { desiredReplicas, loadOf } from './desired-replicas.ts';
import type { Signals } from './signals.ts';

/** A pool that is scaled, and the demand on it. */
export interface Demand {
  readonly pool: RunnerPool;
  readonly signals: Signals;
}

/** What a pool was found to need. */
export interface Decision {
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
export function decide(asking: Demand, all: readonly Demand[], slots: number | undefined): Decision {
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

function claimantOf({ pool, signals }: Demand): Claimant {
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
}: Pick<Decision, 'load' | 'floor' | 'target' | 'allocated'>): number =>
  Math.max(0, Math.min(Math.max(0, load) + floor, target) - Math.max(allocated, load));
