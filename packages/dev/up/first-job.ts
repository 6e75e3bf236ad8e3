import { type RunnerPool, runnerPool } from '@minifleet/api';
import type { CliContext } from '@minifleet/cli';
import { createLiveLines, type LiveLines, paintFor } from '@minifleet/cli/terminal';
import { type Clock, seconds } from '@minifleet/clock';
import { type Client, createInformer, findCondition, silentLog } from '@minifleet/kube';
import type { World } from '@minifleet/world';

interface FirstJobOptions {
  readonly context: CliContext;
  readonly client: Client;
  readonly world: Pick<World, 'github' | 'githubApp'>;
  /** Start time of `up`. */
  readonly since: number;
  /** Ends the wait. Pool and job continue without it. */
  readonly signal: AbortSignal;
}

const JOB = {
  name: 'hello',
  labels: ['macos-26'],
  script: 'sw_vers -productVersion; echo hello',
  takes: seconds(1),
} as const;

/** Waits until the runners of the example's pool are idle, queues a job, and prints both results. */
export async function runFirstJob(options: FirstJobOptions): Promise<void> {
  const { context, client, world, since, signal } = options;
  const { clock, output } = context;
  const paint = paintFor(output, context.colours);
  const live = output.isTTY === true ? createLiveLines(output, clock) : undefined;
  const time = (): string => `${((clock.now() - since) / 1_000).toFixed(1)} s after the start`;
  const print = (text: string): void => void output.write(`${paint.good('✓')} ${text}\n`);
  const pool = await awaitIdle({ client, clock, signal, live, time });
  live?.end();
  if (!pool) return;
  print(`pool ${pool.metadata.name} (${time()}): ${pool.status?.idle} runners idle`);
  const job = world.github.queueJob({ ...JOB, repository: `${world.githubApp.organization}/app` });
  const conclusion = await Promise.race([job.ended, aborted(signal)]);
  if (conclusion) print(`job ${job.name} (${time()}): ${conclusion} on ${job.runner?.name}, whose VM is deleted`);
}

interface AwaitIdleOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly live: LiveLines | undefined;
  readonly time: () => string;
}

/** Returns the pool when all of its runners are idle; undefined if the wait was aborted. */
async function awaitIdle({ client, clock, signal, live, time }: AwaitIdleOptions): Promise<RunnerPool | undefined> {
  const done = new AbortController();
  let latest: RunnerPool | undefined;
  live?.begin(
    spinner => `${spinner} pool (${time()}): ${latest ? describePool(latest) : 'waiting for the controller'}`,
  );
  const informer = createInformer({ client, clock, log: silentLog, resource: runnerPool.resource });
  informer.subscribe(({ type, object }) => {
    latest = object;
    if (type !== 'deleted' && (object.status?.idle ?? 0) >= object.spec.replicas) done.abort();
  });
  await informer.run(AbortSignal.any([signal, done.signal]));
  return done.signal.aborted ? latest : undefined;
}

/** The WHY column of `kubectl get rpool`. */
const describePool = (pool: RunnerPool): string =>
  findCondition(pool, 'Ready')?.message ?? `${pool.spec.replicas} runners requested`;

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
