import { type RunnerPool, runnerPool } from '@minifleet/api';
import type { CliContext } from '@minifleet/cli';
import { createLiveLines, type LiveLines, paintFor } from '@minifleet/cli/terminal';
import { type Clock, seconds } from '@minifleet/clock';
import { type Client, createInformer, findCondition, silentLog } from '@minifleet/kube';
import type { World } from '@minifleet/world';

export interface FirstJobOptions {
  readonly around: CliContext;
  readonly client: Client;
  readonly world: Pick<World, 'github' | 'githubApp'>;
  /** When `up` began. */
  readonly since: number;
  /** Ends the waiting; what is on its way goes on by itself. */
  readonly signal: AbortSignal;
}

const JOB = {
  name: 'hello',
  labels: ['macos-26'],
  script: 'sw_vers -productVersion; echo hello',
  takes: seconds(1),
} as const;

/** Waits until the runners of the example's pool are idle, gives them a job, and tells of both. */
export async function firstJob(options: FirstJobOptions): Promise<void> {
  const { around, client, world, since, signal } = options;
  const { clock, output } = around;
  const paint = paintFor(output, around.colours);
  const live = output.isTTY === true ? createLiveLines(output, clock) : undefined;
  const time = (): string => `${((clock.now() - since) / 1_000).toFixed(1)} s after the start`;
  const tell = (text: string): void => void output.write(`${paint.good('✓')} ${text}\n`);
  const pool = await untilIdle({ client, clock, signal, live, time });
  live?.end();
  if (!pool) return;
  tell(`pool ${pool.metadata.name} (${time()}): ${pool.status?.idle} runners idle`);
  const job = world.github.queueJob({ ...JOB, repository: `${world.githubApp.organization}/app` });
  const conclusion = await Promise.race([job.ended, aborted(signal)]);
  if (conclusion) tell(`job ${job.name} (${time()}): ${conclusion}, by ${job.runner?.name}, whose VM goes with it`);
}

interface Idle {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly live: LiveLines | undefined;
  readonly time: () => string;
}

/** The pool when as many runners are idle as it wants; undefined when nobody waits any more. */
async function untilIdle({ client, clock, signal, live, time }: Idle): Promise<RunnerPool | undefined> {
  const enough = new AbortController();
  let latest: RunnerPool | undefined;
  live?.begin(spinner => `${spinner} pool (${time()}): ${latest ? whereItIs(latest) : 'waits for the controller'}`);
  const informer = createInformer({ client, clock, log: silentLog, resource: runnerPool.resource });
  informer.subscribe(({ type, object }) => {
    latest = object;
    if (type !== 'deleted' && (object.status?.idle ?? 0) >= object.spec.replicas) enough.abort();
  });
  await informer.run(AbortSignal.any([signal, enough.signal]));
  return enough.signal.aborted ? latest : undefined;
}

/** What `kubectl get rpool` says under Why. */
const whereItIs = (pool: RunnerPool): string =>
  findCondition(pool, 'Ready')?.message ?? `${pool.spec.replicas} runners wanted`;

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
