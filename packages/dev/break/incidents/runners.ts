import type { RunnerPool } from '@minifleet/api';
import { runnerPools } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import type { Pod } from '@minifleet/kube';
import { runnerImage } from '@minifleet/world';
import { tartOf } from '@minifleet/world/mac';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { awaitScene } from '../scenes/await-scene.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { FLEET, isOnlyHost, POOL, replaceOneHere, runnersOf } from '../scenes/warm-pool.ts';
import type { Stage } from '../stage.ts';

const RUNNER = 'acme/runner';
const ENDS_TOLD = 5;

const poolOf = ({ client }: Stage): Promise<RunnerPool> => client.get(runnerPools, POOL);

/** Counts are of the wish that the controller has seen last: right after I39 is tidied up, its roll back is still to come. */
const rests = ({ metadata, spec, status }: RunnerPool): boolean =>
  status?.observedGeneration === metadata.generation &&
  status?.idle === spec.replicas &&
  status.terminating === 0 &&
  status.stale === 0;

async function whatPoolSays(stage: Stage): Promise<string> {
  const { spec, status = {} } = await poolOf(stage);
  const { idle = 0, stale = 0, terminating = 0, conditions = [], recentEnds = [] } = status;
  const ready = conditions.find(({ type }) => type === 'Ready');
  const ends = recentEnds
    .slice(0, ENDS_TOLD)
    .map(({ runner, host, outcome, reason }) => `${runner} on ${host ?? 'no host'}: ${outcome} (${reason})`);
  return `the pool has ${idle} of ${spec.replicas} idle, ${stale} stale and ${terminating} that end, and says: ${ready?.message || ready?.reason}; the last that ended: ${ends.join(', ') || 'none'}`;
}

/** What happened to pools of runners. */
export const runnerBreakages: readonly Breakage[] = [
  {
    id: 'I39',
    title: 'a new image of the runners is published',
    fleets: [FLEET],
    needsPool: true,
    promise: 'runners are replaced one at a time, and the old ones do jobs meanwhile',
    within: HEALED_WITHIN,
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
        instead: () => whatPoolSays(stage),
        tidy: async () => void (await roll(before)),
      };
    },
  },
  {
    id: 'I40',
    title: 'VMs of one host never boot, and every signal is green',
    fleets: [FLEET],
    needsPool: true,
    promise:
      'the runner is ended, the stage it was stuck in is told, and another is idle elsewhere where there is room',
    within: HEALED_WITHIN,
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
        instead: () => whatPoolSays(stage),
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
