/** A fleet of Macs, the world's GitHub, and the runners program between them with the rights it ships with. */
import { join } from 'node:path';
import { runnerPool } from '@minifleet/api';
import { runnerImage } from '@minifleet/world';
import { tokenOf } from '../../packages/provider/program/testing/apply-access.ts';
import { POOLS_NAMESPACE, RUNNERS } from '../../packages/runners/program/access.ts';
import { ROOT } from './built-agent.ts';
import { type FleetBench, type FleetBenchOptions, openFleetBench } from './fleet-bench.ts';
import { type FleetInSentences, fleetInSentences } from './fleet-in-sentences.ts';
import type { ProgramProcess } from './program-process.ts';
import { kubeconfigWith, stageGithubApp, startRunners } from './runners-process.ts';

/** The pool that runs on a fleet has its name, and jobs are led to it by the same word. */
export const FLEET = 'runners';
/** Another text is another image, whatever is in it. */
export const IMAGES = ['ghcr.io/acme/runner:1', 'ghcr.io/acme/runner:2'] as const;

const APP = 'github-app';

export interface RunnersBench extends FleetBench {
  readonly fleet: FleetInSentences;
  readonly provider: ProgramProcess;
  /** Of the program, whoever runs now. */
  readonly program: () => ProgramProcess;
  /** A new process in the place of one that has ended. */
  restart(): void;
  createPool(fleet: string, replicas: number): Promise<void>;
}

export interface RunnersBenchOptions extends FleetBenchOptions {
  /** How many of the Macs each fleet has. */
  readonly fleets: Readonly<Record<string, number>>;
  readonly flags?: readonly string[];
}

export async function openRunnersBench({ fleets, flags = [], ...options }: RunnersBenchOptions): Promise<RunnersBench> {
  const bench = await openFleetBench(options);
  const { admin, cluster, world } = bench;
  for (const image of IMAGES) world.registry.seedImage(image.replace('ghcr.io/', ''), runnerImage());
  const fleet = fleetInSentences(bench);
  const provider = bench.startProvider();
  for (const [name, replicas] of Object.entries(fleets)) await bench.createFleet({ name, replicas });
  await fleet.ok('apply', '-f', join(ROOT, 'config/drain-rules.yaml'));
  await stageGithubApp(admin, { namespace: POOLS_NAMESPACE, name: APP }, world);
  const kubeconfig = await kubeconfigWith(await tokenOf(admin, RUNNERS), cluster);
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
