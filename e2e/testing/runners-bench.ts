/** A fleet of Macs, the simulated GitHub, and the runners program with its shipped permissions. */
import { join } from 'node:path';
import { runnerPool } from '@minifleet/api';
import { tokenOf } from '@minifleet/provider/testing/program';
import { POOLS_NAMESPACE, RUNNERS } from '@minifleet/runners/testing/program';
import { runnerImage } from '@minifleet/world';
import { ROOT } from './built-agent.ts';
import { type FleetBench, type FleetBenchOptions, openFleetBench } from './fleet-bench.ts';
import { createFleetDriver, type FleetDriver } from './fleet-driver.ts';
import type { ProgramProcess } from './program-process.ts';
import { createGithubAppSecret, startRunners, writeKubeconfig } from './runners-process.ts';

/** Name of a fleet, of its pool and of the pool's job label. */
export const FLEET = 'runners';
/** Two references to different images with the same content. */
export const IMAGES = ['ghcr.io/acme/runner:1', 'ghcr.io/acme/runner:2'] as const;

const APP = 'github-app';

export interface RunnersBench extends FleetBench {
  readonly fleet: FleetDriver;
  readonly provider: ProgramProcess;
  /** The current process of the runners program. */
  readonly program: () => ProgramProcess;
  /** Starts a new process after the previous one has ended. */
  restart(): void;
  createPool(fleet: string, replicas: number): Promise<void>;
}

export interface RunnersBenchOptions extends FleetBenchOptions {
  /** Macs per fleet. */
  readonly fleets: Readonly<Record<string, number>>;
  readonly flags?: readonly string[];
}

export async function openRunnersBench({ fleets, flags = [], ...options }: RunnersBenchOptions): Promise<RunnersBench> {
  const bench = await openFleetBench(options);
  const { admin, cluster, world } = bench;
  for (const image of IMAGES) world.registry.seedImage(image.replace('ghcr.io/', ''), runnerImage());
  const fleet = createFleetDriver(bench);
  const provider = bench.startProvider();
  for (const [name, replicas] of Object.entries(fleets)) await bench.createFleet({ name, replicas });
  await fleet.ok('apply', '-f', join(ROOT, 'config/drain-rules.yaml'));
  await createGithubAppSecret(admin, { namespace: POOLS_NAMESPACE, name: APP }, world);
  const kubeconfig = await writeKubeconfig(await tokenOf(admin, RUNNERS), cluster);
  const start = (): ProgramProcess =>
    startRunners({
      ...{ root: ROOT, kubeconfig, namespace: POOLS_NAMESPACE, world },
      flags: ['--forge-look-every=1s', '--log-level=debug', ...flags],
    });
  let program = start();
  return {
    ...bench,
    fleet,
    provider,
    program: () => program,
    restart() {
      program = start();
    },
    async createPool(name, replicas) {
      const forge = { account: world.githubApp.organization, secretName: APP };
      const size = { podCPUMilli: 4_000, podMemoryMB: 7_168 };
      const own = { fleetSelector: name, dispatchLabel: name, replicas, forge };
      const spec = { ...runnerPool.example.spec, ...size, ...own, image: IMAGES[0] };
      await admin.create(runnerPool.resource, { metadata: { namespace: POOLS_NAMESPACE, name }, spec } as never);
    },
    async stop() {
      await program.stop();
      await bench.stop();
    },
  };
}
