import { names, type RunnerPool } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { nodes, type Pod, pods } from '@minifleet/kube';
import { runnerImage } from '@minifleet/world';
import { tartOf } from '@minifleet/world/mac';
import { runnerPools } from '../../cluster/resources.ts';
import type { Breakage } from '../breakage.ts';
import { awaitScene } from '../scenes/await-scene.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import type { Stage } from '../stage.ts';

/** The pool of docs/examples/first-pool.yaml. */
const POOL = { namespace: 'tuist-runners', name: 'warm' };
const RUNNER = 'acme/runner';
const FLEET = 'runners';
/** For the moment until a Pod is placed. */
const ELSEWHERE = { key: 'minifleet.dev/break', effect: 'NoSchedule' };

const poolOf = ({ client }: Stage): Promise<RunnerPool> => client.get(runnerPools, POOL);

async function runnersOf({ client }: Stage): Promise<readonly Pod[]> {
  const labelSelector = `${names.labels.runnerPool}=${POOL.name}`;
  return (await client.list(pods, { namespace: POOL.namespace, labelSelector })).items;
}

const rests = ({ spec, status }: RunnerPool): boolean =>
  status?.idle === spec.replicas && status.terminating === 0 && status.stale === 0;

/** What happened to pools of runners. Both are done to the one pool there is: one after the other, not at once. */
export const runnerBreakages: readonly Breakage[] = [
  {
    id: 'I39',
    title: 'a new image of the runners is published',
    fleets: [FLEET],
    promise: 'runners are replaced one at a time, and the old ones do jobs meanwhile',
    within: seconds(180),
    async strike(stage) {
      const { client, world, since } = stage;
      const before = (await awaitRest(stage)).spec.image;
      const known = new Set((await runnersOf(stage)).map(({ metadata }) => metadata.name));
      const tag = since.toString(36);
      world.registry.seedImage(`${RUNNER}:${tag}`, runnerImage());
      const roll = (image: string): Promise<unknown> =>
        client.patch(runnerPools, POOL, { type: 'merge', body: { spec: { image } } });
      await roll(`ghcr.io/${RUNNER}:${tag}`);
      const repository = `${world.githubApp.organization}/app`;
      const job = world.github.queueJob({ name: 'meanwhile', repository, labels: ['macos-26'], script: 'echo done' });
      let most = 0;
      return {
        did: `had the pool ${POOL.name} want ghcr.io/${RUNNER}:${tag}, and queued a job`,
        async look() {
          const [pool, runners] = await Promise.all([poolOf(stage), runnersOf(stage)]);
          const old = runners.filter(({ spec }) => spec?.containers[0]?.image === before);
          most = Math.max(most, old.filter(isRolledAway).length);
          if (most > 1) throw new Error(`${most} runners of the old image were taken away at once`);
          const served = job.conclusion === 'success' && known.has(job.runner?.name ?? '');
          if (old.length > 0 || !rests(pool) || !served) return undefined;
          return { healed: `${pool.spec.replicas} idle runners have it; ${job.runner?.name} of the old did the job` };
        },
        tidy: async () => void (await roll(before)),
      };
    },
  },
  {
    id: 'I40',
    title: 'VMs of one host never boot, and every signal is green',
    fleets: [FLEET],
    promise:
      'the runner is ended, the stage it was stuck in is told, and another is idle elsewhere where there is room',
    within: seconds(240),
    async strike(stage) {
      await awaitRest(stage);
      const tart = tartOf(stage.mac());
      const { guests = {} } = tart.host;
      // Those that run have booted already, and go on.
      tart.change({
        guests: { ...guests, byImage: { ...guests.byImage, [`ghcr.io/${RUNNER}`]: { bootSeconds: 1e6 } } },
      });
      const tidy = async (): Promise<void> => tart.change({ guests });
      const stuck = await orPutBack(tidy, () => replaceOneHere(stage));
      return {
        did: `had VMs hang in their boot, and deleted a runner so that ${stuck} came to this host`,
        async look() {
          const { status } = await poolOf(stage);
          const end = status?.recentEnds?.find(({ runner }) => runner === stuck);
          if (end?.outcome !== 'NeverStarted' || !end.log?.includes('stage')) return undefined;
          const words = `${stuck} on ${end.host}: ${end.reason}, ${end.log}`;
          if (await isOnlyHost(stage)) return { named: words };
          return rests(await poolOf(stage)) ? { healed: `${words}; its place is taken elsewhere` } : undefined;
        },
        tidy,
      };
    },
  },
];

/** What is done to other hosts of the fleet at the same time is felt here: it is waited for longer than that may take. */
const AT_REST_WITHIN = seconds(240);

const awaitRest = (stage: Stage): Promise<RunnerPool> =>
  awaitScene(
    stage,
    `all runners of the pool ${POOL.name} are idle`,
    async () => {
      const pool = await poolOf(stage);
      return rests(pool) && pool;
    },
    AT_REST_WITHIN,
  );

/** One that has ended by itself had a job, and is no part of a roll. */
const isRolledAway = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && status?.phase === 'Running';

async function otherHosts({ client, name }: Stage): Promise<readonly string[]> {
  const { items } = await client.list(nodes, { labelSelector: `${names.labels.fleet}=${FLEET}` });
  return items.map(({ metadata }) => metadata.name).filter(other => other !== name);
}

const isOnlyHost = async (stage: Stage): Promise<boolean> => (await otherHosts(stage)).length === 0;

/** Deletes an idle runner, and keeps the scheduler from the other hosts until its successor is placed here: some seconds. */
async function replaceOneHere(stage: Stage): Promise<string> {
  const { client, kubectl, name } = stage;
  const known = await runnersOf(stage);
  const old = known.find(({ spec }) => spec?.nodeName === name) ?? known[0];
  const others = await otherHosts(stage);
  // Settled: one that is replaced in this moment is no place for the Pod either.
  const taint = (suffix: string): Promise<unknown> =>
    Promise.allSettled(others.map(other => kubectl('taint', 'node', other, `${ELSEWHERE.key}${suffix}`)));
  await taint(`=true:${ELSEWHERE.effect}`);
  try {
    if (old) await client.delete(pods, { ...POOL, name: old.metadata.name });
    return await awaitScene(stage, 'another runner is placed on it', async () => {
      const isNew = ({ metadata }: Pod): boolean => !known.some(pod => pod.metadata.uid === metadata.uid);
      return (await runnersOf(stage)).find(pod => isNew(pod) && pod.spec?.nodeName === name)?.metadata.name;
    });
  } finally {
    await taint('-');
  }
}
