import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { events, type Pod, pods, secrets } from '@minifleet/kube';
import { type WatchedLives, watchedLives } from '@minifleet/provider/testing/faults/watched-lives';
import type { Life } from '@minifleet/provider/testing/program';
import { isAlive } from '../../runner/pod-state.ts';
import type { RunnersEffect } from './blow.ts';
import { type PoolsSeen, wrongAtRest, wrongNow } from './invariants.ts';
import { NAMESPACE, POOL, type RunnersWorld, runnersWorld } from './runners-world.ts';
import { type StartOptions, startRunners } from './start-runners.ts';
import { watchPods } from './watch-pods.ts';

type PoolStatus = NonNullable<RunnerPool['status']>;

/** A world with programs in it, and the pool `macos`. */
export interface RunnersBench extends RunnersWorld, WatchedLives<RunnersEffect, StartOptions> {
  makePool(replicas: number): Promise<void>;
  changePool(spec: object): Promise<void>;
  findPool(): Promise<RunnerPool | undefined>;
  status(): Promise<PoolStatus>;
  /** `True Reachable`. */
  condition(type: string): Promise<string>;
  /** Pods that are alive. */
  alive(): Promise<readonly Pod[]>;
}

export async function runnersBench(): Promise<RunnersBench> {
  const world = await runnersWorld();
  const { client } = world.api;
  const words: string[] = [];
  const watch = watchPods(world);
  const running = new Set<Life<RunnersEffect>>();
  let alone = true;

  const inNamespace = { namespace: NAMESPACE };
  const list = async <T>(items: Promise<{ readonly items: T[] }>): Promise<T[]> => (await items).items;
  const all = () => list(client.list(pods, inNamespace));
  const look = async (): Promise<PoolsSeen> => ({
    pools: await list(client.list(runnerPool.resource)),
    pods: await all(),
    secrets: await list(client.list(secrets, { ...inNamespace, labelSelector: `${names.labels.runner}=true` })),
    registrations: world.forge.all(),
    runs: world.jobs.runs,
    ...{ deleted: watch.deleted, made: watch.made, alone, words },
    startedInVain: world.startedInVain,
    configurations: world.configurations,
  });

  const findPool = () => client.find(runnerPool.resource, POOL);
  const status = async (): Promise<PoolStatus> => (await findPool())?.status ?? {};
  const lives = watchedLives<RunnersEffect, StartOptions>({
    clock: world.clock,
    start(options) {
      const life = startRunners({ world, api: watch.api, words }, options);
      running.add(life);
      alone &&= [...running].filter(each => !each.dead).length === 1;
      return life;
    },
    pass: () => world.pass(),
    wrongNow: async () => wrongNow(await look()),
    async wrongAtRest() {
      const told = await list(client.list(events, inNamespace));
      return wrongAtRest({ ...(await look()), words: [...words, JSON.stringify(told)] });
    },
    patience: minutes(40),
    atRestAfter: minutes(12),
  });

  // `wrong` is read when it is asked for: a spread would read it now.
  return Object.assign(lives, world, {
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
