import type { Progress } from '../../benchmark.ts';
import { type BenchCluster, startCluster } from '../cluster/start-cluster.ts';
import type { RequestCounts } from '../fleet/calls.ts';
import { readProcessUsage } from '../host/processes.ts';
import { type BothModes, FEW, FLEET, type StatusMode } from '../names.ts';
import { type BurstFigures, burst } from './burst.ts';
import { type DeletionFigures, measureDeletion } from './deletion.ts';
import { openFleet } from './open-fleet.ts';
import { observePods, type PodObserver } from './pod-observer.ts';
import { type TrickleFigures, trickle } from './trickle.ts';

export interface SmallFleetFigures extends TrickleFigures {
  /** Requests per Pod from its binding until it is gone, without leases. */
  readonly statusWrites: number;
  readonly requests: number;
}

export interface WholeFleetFigures {
  readonly trickle: TrickleFigures;
  readonly burst: BurstFigures;
  /** CPU seconds of the burst. On two cores the burst takes at least half of their sum. */
  readonly processorSeconds: { readonly agents: number; readonly controlPlane: number };
}

export interface FleetFigures {
  readonly few: BothModes<SmallFleetFigures>;
  readonly deletion: DeletionFigures;
  readonly fleet: WholeFleetFigures;
}

/** Runs the measurements with a real control plane and synthetic guests. */
export async function measureFleets(progress: Progress): Promise<FleetFigures> {
  progress('starting Kubernetes');
  const bench = await startCluster();
  try {
    const observer = await observePods(bench.admin);
    const few = {
      minifleet: await measureFew('minifleet', { bench, observer, progress }),
      polling: await measureFew('polling', { bench, observer, progress }),
    };
    progress('deletion of one Pod while another pulls');
    const deletion = await measureDeletion(bench, observer);
    const fleet = await measureWholeFleet({ bench, observer, progress });
    await observer.stop();
    return { few, deletion, fleet };
  } finally {
    await bench.stop();
  }
}

interface FleetMeasurementDeps {
  readonly bench: BenchCluster;
  readonly observer: PodObserver;
  readonly progress: Progress;
}

async function measureFew(
  way: StatusMode,
  { bench, observer, progress }: FleetMeasurementDeps,
): Promise<SmallFleetFigures> {
  progress(`${FEW.pods} Pods on ${FEW.nodes} nodes: ${way}`);
  await using nodes = await openFleet(bench, { way, name: `few-${way}`, nodes: FEW.nodes });
  // Warm-up of the processes.
  await trickle({ ...FEW, admin: bench.admin, observer, fleet: nodes.name, pods: 10, token: true, name: 'warm-up' });
  const before = await nodes.requests();
  const lives = await trickle({ ...FEW, admin: bench.admin, observer, fleet: nodes.name, token: true });
  const after = await nodes.requests();
  const perPod = (count: (of: RequestCounts) => number): number => (count(after) - count(before)) / FEW.pods;
  return {
    ...lives,
    statusWrites: perPod(of => of.statusWrites),
    requests: perPod(of => of.statusWrites + of.events + of.tokens + of.others),
  };
}

async function measureWholeFleet({ bench, observer, progress }: FleetMeasurementDeps): Promise<WholeFleetFigures> {
  progress(`starting ${FLEET.nodes} nodes`);
  const { nodes, processes, perSecond } = FLEET;
  await using fleet = await openFleet(bench, { way: 'minifleet', name: 'fleet', nodes, processes });
  const common = { admin: bench.admin, observer, fleet: fleet.name };
  progress(`${FLEET.trickle} Pods, ${perSecond} per second`);
  const trickled = await trickle({ ...common, pods: FLEET.trickle, perSecond, token: false });
  progress(`${FLEET.pods} Pods at once`);
  const before = await processorSeconds(bench, fleet);
  const burstOf = await burst({ ...common, pods: FLEET.pods });
  const after = await processorSeconds(bench, fleet);
  return {
    trickle: trickled,
    burst: burstOf,
    processorSeconds: {
      agents: after.agents - before.agents,
      controlPlane: after.controlPlane - before.controlPlane,
    },
  };
}

async function processorSeconds({ cluster }: BenchCluster, fleet: { processorTime(): Promise<number> }) {
  const each = cluster.components.map(({ pid }) => (pid === undefined ? 0 : readProcessUsage(pid).processorTime));
  return {
    agents: (await fleet.processorTime()) / 1_000,
    controlPlane: each.reduce((sum, one) => sum + one, 0) / 1_000,
  };
}
