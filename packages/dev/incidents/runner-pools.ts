import type { RunnerPool } from '@minifleet/api';
import { runnerPools } from '@minifleet/cli/cluster';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { Pod } from '@minifleet/kube';
import { runnerImage } from '@minifleet/world';
import { tartOf } from '@minifleet/world/mac';
import type { FaultTarget } from './fault-target.ts';
import { awaitPrecondition, orRevert } from './fixtures/preconditions.ts';
import { FLEET, isOnlyHost, POOL, replaceRunnerHere, runnersOf } from './fixtures/warm-pool.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import { withTart } from './tart-host.ts';

const RUNNER = 'acme/runner';
const RECENT_ENDS = 5;

const readPool = ({ client }: FaultTarget): Promise<RunnerPool> => client.get(runnerPools, POOL);

/** Compares the generations, because the counts are stale right after the cleanup of I39, before its rollback starts. */
const isSettled = ({ metadata, spec, status }: RunnerPool): boolean =>
  status?.observedGeneration === metadata.generation &&
  status?.idle === spec.replicas &&
  status.terminating === 0 &&
  status.stale === 0;

async function describePool(target: FaultTarget): Promise<string> {
  const { spec, status = {} } = await readPool(target);
  const { idle = 0, stale = 0, terminating = 0, conditions = [], recentEnds = [] } = status;
  const ready = conditions.find(({ type }) => type === 'Ready');
  const ends = recentEnds
    .slice(0, RECENT_ENDS)
    .map(({ runner, host, outcome, reason }) => `${runner} on ${host ?? 'no host'}: ${outcome} (${reason})`);
  return `the pool has ${idle} of ${spec.replicas} runners idle, ${stale} stale and ${terminating} terminating; Ready: ${ready?.message || ready?.reason}; recent ends: ${ends.join(', ') || 'none'}`;
}

/** Longer than a fault on another host of the fleet takes, because the pool is not settled until then. */
const SETTLED_WITHIN = seconds(240);

const awaitSettled = (target: FaultTarget): Promise<RunnerPool> =>
  awaitPrecondition(
    target,
    `all runners of the pool ${POOL.name} to be idle`,
    async () => {
      const pool = await readPool(target);
      return isSettled(pool) && pool;
    },
    SETTLED_WITHIN,
  );

/** A runner that has ended by itself had a job, and is not part of the rollout. */
const isRolledOut = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && status?.phase === 'Running';

/** Incidents with runner pools. */
export const runnerPoolIncidents: readonly Incident[] = [
  {
    id: 'I39',
    title: 'a new image is pulled by every host at once',
    live: {
      fault: 'a new runner image is published',
      fleets: [FLEET],
      needsPool: true,
      expected: 'runners are replaced one at a time, and the old ones run jobs meanwhile',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const { client, world, since } = target;
        const before = (await awaitSettled(target)).spec.image;
        const known = new Set((await runnersOf(target)).map(({ metadata }) => metadata.name));
        const tag = since.toString(36);
        world.registry.seedImage(`${RUNNER}:${tag}`, runnerImage());
        const rollOut = (image: string): Promise<unknown> =>
          client.patch(runnerPools, POOL, { type: 'merge', body: { spec: { image } } });
        await rollOut(`ghcr.io/${RUNNER}:${tag}`);
        const repository = `${world.githubApp.organization}/app`;
        const job = world.github.queueJob({
          name: 'meanwhile',
          repository,
          labels: ['macos-26'],
          script: 'echo done',
        });
        let most = 0;
        return {
          action: `set the image of the pool ${POOL.name} to ghcr.io/${RUNNER}:${tag}, and queued a job`,
          async check() {
            const [pool, runners] = await Promise.all([readPool(target), runnersOf(target)]);
            const old = runners.filter(({ spec }) => spec?.containers[0]?.image === before);
            most = Math.max(most, old.filter(isRolledOut).length);
            if (most > 1) throw new Error(`${most} runners with the old image were deleted at once`);
            const served = job.conclusion === 'success' && known.has(job.runner?.name ?? '');
            if (old.length > 0 || !isSettled(pool) || !served) return undefined;
            return {
              repaired: `${pool.spec.replicas} idle runners have the image; the old runner ${job.runner?.name} ran the job`,
            };
          },
          describeState: () => describePool(target),
          cleanUp: async () => void (await rollOut(before)),
        };
      },
    },
  },
  {
    id: 'I40',
    title: 'a VM never boots, and every signal is green',
    oldWay: {
      procedure: 'checked only whether the VM runs',
      symptom: /"State" : "running".*no IP address found/s,
      run: env =>
        withTart(env, { guests: { byName: { job: { hangs: true, bootSeconds: 1e6 } } } }, async tart => {
          await tart.call(['create', 'job', '--from-ipsw', 'latest']);
          const running = tart.start(['run', 'job', '--no-graphics']);
          const state = await eventually(async () => {
            const { stdout } = await tart.call(['list', '--source', 'local', '--format', 'json']);
            return /"State" : "running"/.exec(stdout)?.[0];
          });
          const { stderr } = await tart.call(['ip', 'job', '--wait', '60']);
          running.process.kill('SIGKILL');
          await running.outcome;
          return `${state}, and after a minute: ${stderr}`;
        }),
    },
    coveredBy: 'packages/tart-kubelet/guests/guests.contract.test.ts, packages/tart-kubelet/pods/restart.test.ts',
    live: {
      fault: 'VMs of one host never boot, and every signal is green',
      fleets: [FLEET],
      needsPool: true,
      expected: 'the runner is ended, its boot stage is reported, and another host with capacity gets an idle runner',
      within: REPAIRED_WITHIN,
      async inject(target) {
        await awaitSettled(target);
        const tart = tartOf(target.mac());
        const { guests = {} } = tart.host;
        // Running VMs have booted already and are not affected.
        tart.change({
          guests: { ...guests, byImage: { ...guests.byImage, [`ghcr.io/${RUNNER}`]: { bootSeconds: 1e6 } } },
        });
        const cleanUp = async (): Promise<void> => tart.change({ guests });
        const stuck = await orRevert(cleanUp, () => replaceRunnerHere(target));
        return {
          action: `let VMs hang during boot, and deleted a runner so that ${stuck} was scheduled on this host`,
          async check() {
            const { status } = await readPool(target);
            const end = status?.recentEnds?.find(({ runner }) => runner === stuck);
            if (end?.outcome !== 'NeverStarted' || !end.log?.includes('stage')) return undefined;
            const text = `${stuck} on ${end.host}: ${end.reason}, ${end.log}`;
            if (await isOnlyHost(target)) return { reported: text };
            return isSettled(await readPool(target)) ? { repaired: `${text}; another host replaced it` } : undefined;
          },
          describeState: () => describePool(target),
          cleanUp,
        };
      },
    },
  },
];
