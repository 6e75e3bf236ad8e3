import type { RunnerPool } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import { type ScalingDecision, warmDeficit } from '../autoscaling/decide.ts';
import { fleetCapacity, macsOf } from '../autoscaling/fleet-capacity.ts';
import type { RunnersGauges } from './metric-table.ts';

export interface ScalingSources {
  readonly pools: () => readonly RunnerPool[];
  readonly nodes: () => readonly Node[];
  readonly decisions: () => readonly ScalingDecision[];
}

export function showScaling(metrics: RunnersGauges, { pools, nodes, decisions }: ScalingSources): void {
  for (const metric of perFleet(metrics)) metric.reset();
  for (const pool of pools()) showFleet(metrics, pool, macsOf(pool, nodes()));
  for (const decision of decisions()) showDecision(metrics, decision);
}

const perFleet = (metrics: RunnersGauges) => [
  ...[metrics.readyNodes, metrics.filteredNodes, metrics.target, metrics.allocated, metrics.warmDeficit],
  ...[metrics.warmFloor, metrics.claimedJobs, metrics.occupied, metrics.queuedJobs],
];

/** Once for each pool of the fleet, with the same values. */
function showFleet(metrics: RunnersGauges, { spec }: RunnerPool, macs: readonly Node[]): void {
  const fleet = { fleet_selector: spec.fleetSelector, operating_system: spec.os };
  const { ready, filtered } = fleetCapacity(macs, spec);
  metrics.readyNodes.set(fleet, ready);
  for (const [reason, count] of Object.entries(filtered)) metrics.filteredNodes.set({ ...fleet, reason }, count);
}

function showDecision(metrics: RunnersGauges, decision: ScalingDecision): void {
  const pool = { namespace: decision.namespace, pool: decision.name };
  const { claimed, occupied, queued } = decision.signals;
  metrics.target.set(pool, decision.target);
  metrics.allocated.set(pool, decision.allocated);
  metrics.warmDeficit.set(pool, warmDeficit(decision));
  metrics.warmFloor.set(pool, decision.floor);
  metrics.claimedJobs.set(pool, claimed);
  metrics.occupied.set(pool, Math.max(occupied, claimed));
  metrics.queuedJobs.set(pool, queued);
}
