/** A pool of runners as a person sees it through kubectl, and its runners and jobs as the forge's pages show them. */
import assert from 'node:assert/strict';
import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { findCondition, type Pod, pods, type Secret, secrets } from '@minifleet/kube';
import type { Job, QueuedJob } from '@minifleet/world';
import { POOLS_NAMESPACE as namespace } from '../../packages/runners/program/access.ts';
import { FLEET, type RunnersBench } from './runners-bench.ts';

type Status = NonNullable<RunnerPool['status']>;
export type End = NonNullable<Status['recentEnds']>[number];

export interface RunnersInSentences {
  /** kubectl in the namespace of the pool; a failure is the test's. */
  ok(...argv: readonly string[]): Promise<string>;
  pool(): Promise<RunnerPool>;
  /** `status reason message`. */
  condition(type: string): Promise<string>;
  /** Waits until the pool says so; what it says instead is in the error. */
  until(what: string, holds: (status: Status) => boolean, within?: Duration): Promise<Status>;
  /** Waits until so many are idle and nothing else of the pool is left: no busy one, none that comes or goes. */
  rests(idle: number, within?: Duration): Promise<readonly Pod[]>;
  pods(): Promise<readonly Pod[]>;
  /** Those of the runners, by name. */
  secrets(): Promise<ReadonlyMap<string, Secret>>;
  /** Waits until nothing of a runner is left: Pod, Secret, registration. */
  leaves(runner: string, within?: Duration): Promise<void>;
  /** How it ended, by the pool's status. */
  endOf(runner: string): Promise<End | undefined>;
  queue(job?: Partial<QueuedJob>): Job;
  /** A job that goes on until it is released, and the Pod whose guest has begun it, which the pool knows to be busy. */
  heldJob(name: string): Promise<HeldJob>;
  /** Lets every held job of the pool end. */
  releaseAll(): void;
}

export interface HeldJob {
  readonly job: Job;
  readonly runner: string;
  readonly pod: Pod;
  readonly node: string;
  /** Lets it go, and waits for its good end. */
  readonly finish: () => Promise<void>;
}

const PATIENCE = seconds(60);
const interval = seconds(0.2);

export function runnersInSentences({ admin, kubectl, world }: RunnersBench, name = FLEET): RunnersInSentences {
  const { github } = world;
  const ofPool = { namespace, labelSelector: `${names.labels.runnerPool}=${name}` };
  const said: RunnersInSentences = {
    async ok(...argv) {
      const { code, stdout, stderr } = await kubectl.run(['-n', namespace, ...argv]);
      assert.equal(code, 0, `kubectl ${argv.join(' ')}: ${stderr}${stdout}`);
      return stdout;
    },
    pool: () => admin.get(runnerPool.resource, { namespace, name }),
    async condition(type) {
      const { status, reason, message = '' } = findCondition(await said.pool(), type) ?? {};
      return `${status} ${reason} ${message}`;
    },
    async until(what, holds, deadline = PATIENCE) {
      let last: Status = {};
      const seen = async () => {
        last = (await said.pool()).status ?? {};
        return holds(last) && last;
      };
      return eventually(seen, { what, deadline, interval }).catch(async (error: Error) => {
        const shown = await kubectl.run(['-n', namespace, 'get', 'rpool,pods,secrets', '-o', 'wide']);
        throw new Error(`${error.message}\n${JSON.stringify(last, undefined, 1)}\n${shown.stdout}`, { cause: error });
      });
    },
    async rests(idle, within = PATIENCE) {
      const rest = (status: Status): boolean =>
        status.idle === idle && status.replicas === idle && status.terminating === 0 && status.stale === 0;
      await said.until(`${idle} runners are idle`, rest, within);
      return said.pods();
    },
    pods: async () => (await admin.list(pods, ofPool)).items,
    async secrets() {
      const { items } = await admin.list(secrets, ofPool);
      return new Map(items.map(secret => [secret.metadata.name, secret]));
    },
    async leaves(runner, deadline = PATIENCE) {
      const left = async (): Promise<string[]> => [
        ...((await admin.find(pods, { namespace, name: runner })) ? ['Pod'] : []),
        ...((await admin.find(secrets, { namespace, name: runner })) ? ['Secret'] : []),
        ...github.state.runners.all.filter(({ name }) => name === runner).map(() => 'registration'),
      ];
      const nothing = async () => assert.deepEqual(await left(), []) === undefined;
      await eventually(nothing, { what: `${runner} is gone`, deadline, interval });
    },
    endOf: async runner => (await said.pool()).status?.recentEnds?.find(end => end.runner === runner),
    queue: (job = {}) => github.queueJob({ repository: `${world.githubApp.organization}/app`, labels: [name], ...job }),
    async heldJob(title) {
      const job = said.queue({ name: title, held: true, script: 'echo begun' });
      const begun = () => job.log === 'begun\n' && job.runner?.name;
      const runner = await eventually(begun, { what: `${title} is begun`, deadline: PATIENCE, interval });
      await said.until(`${runner} is known to be busy`, ({ busy = 0 }) => busy > 0);
      const pod = await admin.get(pods, { namespace, name: runner });
      const finish = async (): Promise<void> => {
        github.releaseJob(job);
        assert.equal(await job.ended, 'success');
      };
      return { job, runner, pod, node: pod.spec?.nodeName ?? '', finish };
    },
    releaseAll() {
      for (const job of github.state.jobs.all) if (job.labels.includes(name)) github.releaseJob(job);
    },
  };
  return said;
}

export const imagesOf = (list: readonly Pod[]): string[] =>
  list.map(({ spec }) => spec?.containers[0]?.image ?? '').toSorted();
