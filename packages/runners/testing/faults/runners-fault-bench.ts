import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { events, type Pod, pods, secrets } from '@minifleet/kube';
import { afterWrites } from '@minifleet/kube/testing';
import { type MonitoredRuns, monitoredRuns } from '@minifleet/provider/testing/faults/monitored-runs';
import type { ProgramRun } from '@minifleet/provider/testing/program';
import { isAlive } from '../../runner/pod-state.ts';
import { type PoolsSnapshot, violationsAtRest, violationsNow } from './invariants.ts';
import { podRecorder } from './pod-recorder.ts';
import type { RunnersEffect } from './runners-effect.ts';
import { NAMESPACE, POOL, type RunnersWorld, runnersWorld } from './runners-world.ts';
import { type RunnersStartOptions, startRunners } from './start-runners.ts';

type ObservedPoolStatus = NonNullable<RunnerPool['status']>;

/** A simulated cluster with the pool `macos`, and the controllers that manage it. */
export interface RunnersFaultBench extends RunnersWorld, MonitoredRuns<RunnersEffect, RunnersStartOptions> {
  makePool(replicas: number): Promise<void>;
  changePool(spec: object): Promise<void>;
  findPool(): Promise<RunnerPool | undefined>;
  status(): Promise<ObservedPoolStatus>;
  /** Status and reason of a condition: `True Reachable`. */
  condition(type: string): Promise<string>;
  /** Pods that are alive. */
  alive(): Promise<readonly Pod[]>;
}

export async function runnersFaultBench(): Promise<RunnersFaultBench> {
  const world = await runnersWorld();
  const { client } = world.api;
  const output: string[] = [];
  const recorder = podRecorder(world);
  const started = new Set<ProgramRun<RunnersEffect>>();
  let singleController = true;

  const inNamespace = { namespace: NAMESPACE };
  const list = async <T>(items: Promise<{ readonly items: T[] }>): Promise<T[]> => (await items).items;
  const all = () => list(client.list(pods, inNamespace));
  const objects = afterWrites(world.api, async () => ({
    pools: await list(client.list(runnerPool.resource)),
    pods: await all(),
    secrets: await list(client.list(secrets, { ...inNamespace, labelSelector: `${names.labels.runner}=true` })),
  }));
  const observe = async (): Promise<PoolsSnapshot> => ({
    ...(await objects()),
    registrations: world.forge.all(),
    assignments: world.jobs.assignments,
    ...{ deleted: recorder.deleted, created: recorder.created, singleController, output },
    startsWithoutRegistration: world.startsWithoutRegistration,
    configurations: world.configurations,
  });

  const findPool = () => client.find(runnerPool.resource, POOL);
  const status = async (): Promise<ObservedPoolStatus> => (await findPool())?.status ?? {};
  const runs = monitoredRuns<RunnersEffect, RunnersStartOptions>({
    clock: world.clock,
    start(options) {
      const run = startRunners({ world, api: recorder.api, output }, options);
      started.add(run);
      singleController &&= [...started].filter(each => !each.killed).length === 1;
      return run;
    },
    pass: () => world.pass(),
    violationsNow: async () => violationsNow(await observe()),
    async violationsAtRest() {
      const emitted = await list(client.list(events, inNamespace));
      return violationsAtRest({ ...(await observe()), output: [...output, JSON.stringify(emitted)] });
    },
    timeout: minutes(40),
    settleTime: minutes(12),
  });

  // `violations` is a getter. A spread would read it now.
  return Object.assign(runs, world, {
    findPool,
    status,
    async makePool(replicas: number) {
      const { spec } = structuredClone(runnerPool.example);
      const whole = runnerPool.withDefaults({ metadata: POOL, spec: { ...spec, replicas } });
      await client.create(runnerPool.resource, whole);
    },
    async changePool(spec: object) {
      await client.patch(runnerPool.resource, POOL, { type: 'merge', body: { spec } });
    },
    async condition(type: string) {
      const found = (await status()).conditions?.find(condition => condition.type === type);
      return `${found?.status} ${found?.reason}`;
    },
    alive: async () => (await all()).filter(isAlive),
  });
}
