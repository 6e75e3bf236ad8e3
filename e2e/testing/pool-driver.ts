/** Reads a runner pool through kubectl, and its runners and jobs through the simulated GitHub. */
import assert from 'node:assert/strict';
import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import { type Duration, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { findCondition, type KubeSecret, type Pod, pods, secrets } from '@minifleet/kube';
import { POOLS_NAMESPACE as namespace } from '@minifleet/runners/testing/program';
import type { Job, QueuedJob } from '@minifleet/world';
import { FLEET, type RunnersBench } from './runners-bench.ts';

type PoolStatus = NonNullable<RunnerPool['status']>;
export type RunnerEnd = NonNullable<PoolStatus['recentEnds']>[number];

export interface PoolDriver {
  /** Runs kubectl in the namespace of the pool; a failure fails the test. */
  ok(...argv: readonly string[]): Promise<string>;
  pool(): Promise<RunnerPool>;
  /** `status reason message`. */
  condition(type: string): Promise<string>;
  /** Waits for a status of the pool. The error contains the last status. */
  awaitStatus(what: string, holds: (status: PoolStatus) => boolean, within?: Duration): Promise<PoolStatus>;
  /** Waits until that many runners are idle, and none is busy, pending or terminating. */
  awaitIdle(idle: number, within?: Duration): Promise<readonly Pod[]>;
  pods(): Promise<readonly Pod[]>;
  /** Secrets of the runners, by runner name. */
  secrets(): Promise<ReadonlyMap<string, KubeSecret>>;
  /** Waits until Pod, Secret and registration of a runner are gone. */
  awaitGone(runner: string, within?: Duration): Promise<void>;
  /** Entry of the runner in the status of the pool. */
  endOf(runner: string): Promise<RunnerEnd | undefined>;
  queue(job?: Partial<QueuedJob>): Job;
  /** Starts a job that runs until it is released, and waits until the pool reports its runner as busy. */
  startHeldJob(name: string): Promise<HeldJob>;
  /** Releases every held job of the pool. */
  releaseAll(): void;
}

export interface HeldJob {
  readonly job: Job;
  readonly runner: string;
  readonly pod: Pod;
  readonly node: string;
  /** Releases the job and waits for its success. */
  readonly finish: () => Promise<void>;
}

const TIMEOUT = seconds(60);
const interval = seconds(0.2);

export function createPoolDriver({ admin, kubectl, world }: RunnersBench, name = FLEET): PoolDriver {
  const { github } = world;
  const ofPool = { namespace, labelSelector: `${names.labels.runnerPool}=${name}` };
  const driver: PoolDriver = {
    async ok(...argv) {
      const { code, stdout, stderr } = await kubectl.run(['-n', namespace, ...argv]);
      assert.equal(code, 0, `kubectl ${argv.join(' ')}: ${stderr}${stdout}`);
      return stdout;
    },
    pool: () => admin.get(runnerPool.resource, { namespace, name }),
    async condition(type) {
      const { status, reason, message = '' } = findCondition(await driver.pool(), type) ?? {};
      return `${status} ${reason} ${message}`;
    },
    async awaitStatus(what, holds, deadline = TIMEOUT) {
      let last: PoolStatus = {};
      const matches = async () => {
        last = (await driver.pool()).status ?? {};
        return holds(last) && last;
      };
      return eventually(matches, { what, deadline, interval }).catch(async (error: Error) => {
        const shown = await kubectl.run(['-n', namespace, 'get', 'rpool,pods,secrets', '-o', 'wide']);
        throw new Error(`${error.message}\n${JSON.stringify(last, undefined, 1)}\n${shown.stdout}`, { cause: error });
      });
    },
    async awaitIdle(idle, within = TIMEOUT) {
      const rest = (status: PoolStatus): boolean =>
        status.idle === idle && status.replicas === idle && status.terminating === 0 && status.stale === 0;
      await driver.awaitStatus(`${idle} idle runners`, rest, within);
      return driver.pods();
    },
    pods: async () => (await admin.list(pods, ofPool)).items,
    async secrets() {
      const { items } = await admin.list(secrets, ofPool);
      return new Map(items.map(secret => [secret.metadata.name, secret]));
    },
    async awaitGone(runner, deadline = TIMEOUT) {
      const left = async (): Promise<string[]> => [
        ...((await admin.find(pods, { namespace, name: runner })) ? ['Pod'] : []),
        ...((await admin.find(secrets, { namespace, name: runner })) ? ['Secret'] : []),
        ...github.state.runners.all.filter(({ name }) => name === runner).map(() => 'registration'),
      ];
      const nothing = async () => assert.deepEqual(await left(), []) === undefined;
      await eventually(nothing, { what: `${runner} to be gone`, deadline, interval });
    },
    endOf: async runner => (await driver.pool()).status?.recentEnds?.find(end => end.runner === runner),
    queue: (job = {}) => github.queueJob({ repository: `${world.githubApp.organization}/app`, labels: [name], ...job }),
    async startHeldJob(title) {
      const job = driver.queue({ name: title, held: true, script: 'echo started' });
      const started = () => job.log === 'started\n' && job.runner?.name;
      const runner = await eventually(started, { what: `the start of ${title}`, deadline: TIMEOUT, interval });
      await driver.awaitStatus(`${runner} to be busy`, ({ busy = 0 }) => busy > 0);
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
  return driver;
}

export const imagesOf = (list: readonly Pod[]): string[] =>
  list.map(({ spec }) => spec?.containers[0]?.image ?? '').toSorted();
