import type { ScalewayAppleSiliconMachineStatus } from '@minifleet/api';
import type { FleetSpec } from '@minifleet/host';
import { agentArtifact } from '@minifleet/host/testing';
import { fullSpec } from '@minifleet/host/testing/plan';
import { agentHost } from '@minifleet/host/testing/steps';
import type { PhaseEnd } from '../../machines/phase.ts';
import { type BootstrapBench, bootstrapBench } from './bootstrap-bench.ts';

const { builder: _, ...node } = fullSpec.fleet;

/** All that can be wanted of an ordinary host. */
export const nodeFleet = node;

/** An agent alone: enough of a plan where the rest of it does not matter. One that `exits with 3` does so. */
export const agentFleet = (version: string): FleetSpec => ({ agent: { binary: agentArtifact(version) } });

export const passed = ({ kind }: PhaseEnd): boolean => kind === 'passed';

export const because =
  (reason: string) =>
  (end: PhaseEnd): boolean =>
    end.reason === reason;

/** Lives until the host is as wanted, and that is written down and seen. */
export async function bootstrapped(bench: BootstrapBench): Promise<BootstrapBench> {
  await bench.live(passed);
  await bench.pass();
  return bench;
}

/** A host that is as an agent alone wants it. */
export const withAgent = async (version: string): Promise<BootstrapBench> =>
  bootstrapped(await bootstrapBench(agentHost(), { fleet: agentFleet(version) }));

export const statusOf = async (bench: BootstrapBench): Promise<ScalewayAppleSiliconMachineStatus> =>
  (await bench.get()).status ?? {};
