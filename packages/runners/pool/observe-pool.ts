import { isOverdue, judgeStuckPod, names, type RunnerPool, type StuckCause, stuckCauses } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { CachedRunnerList, Forge, RunnerList } from '@minifleet/forges';
import { type Cache, type KubeObject, type KubeSecret, keyOf, keyString, type Node, type Pod } from '@minifleet/kube';
import { macsOf } from '../autoscaling/fleet-capacity.ts';
import { classifyRunner, type PoolRunner } from '../runner/runner.ts';
import { POOL_FORGE_NOT_NAMED } from './errors.ts';
import type { PoolRunnerVersion } from './outdated.ts';
import type { PoolContext } from './pool-state.ts';

/** Observation of a pool at the start of a reconcile, from the caches and the runner list. */
export interface PoolObservation {
  readonly forge: Forge | undefined;
  readonly account: CachedRunnerList;
  readonly trouble: CataloguedError | undefined;
  readonly runners: readonly PoolRunner[];
  /** Nodes of its fleet. */
  readonly macs: readonly Node[];
  readonly stuck: StuckPods;
  readonly lostSince: ReadonlyMap<string, number>;
  /** Version of actions/runner in the pool's image; undefined if no runner has reported it. */
  readonly version: PoolRunnerVersion | undefined;
  readonly now: number;
}

const EMPTY_LIST: CachedRunnerList = {
  listedAt: undefined,
  runners: new Map(),
  absent: new Set(),
  failure: undefined,
  dueAt: Infinity,
};

export async function observePool(work: PoolContext, pool: RunnerPool): Promise<PoolObservation> {
  const key = keyString(keyOf(pool));
  const now = work.deps.clock.now();
  const found = await findForge(work, pool);
  const account = found.forge ? work.runnerLists.read(found.forge, key) : EMPTY_LIST;
  const ofAccount = found.trouble ?? account.failure;
  const runners = readRunners(work.caches, pool, account);
  return {
    // After a failure only the next list request is sent.
    forge: ofAccount ? undefined : found.forge,
    account,
    trouble: ofAccount ?? work.taskRunner.failure(key),
    runners,
    macs: macsOf(pool, work.caches.nodes.list()),
    stuck: stuckPods({ runners, nodeOf: work.nodeOf, stuckAfter: work.settings.stuckAfter, now }),
    lostSince: work.lost.note(key, runners, now),
    version: versionOf(work, { pool, runners, account, forge: ofAccount ? undefined : found.forge }),
    now,
  };
}

interface VersionSources {
  readonly pool: RunnerPool;
  readonly runners: readonly PoolRunner[];
  readonly account: RunnerList;
  readonly forge: Forge | undefined;
}

/** A runner that GitHub refused may be in no list any more, so the recorded version comes first. */
function versionOf(
  { runnerVersions }: PoolContext,
  { pool, runners, account, forge }: VersionSources,
): PoolRunnerVersion | undefined {
  const { outdated } = pool.status ?? {};
  const listed = runners.flatMap(({ name, stale, pod }) =>
    pod && !stale ? (account.runners.get(name)?.version ?? []) : [],
  );
  const version = (outdated?.image === pool.spec.image ? outdated.version : undefined) ?? listed[0];
  if (version === undefined) return undefined;
  return { version, support: forge && runnerVersions.read(forge, version, keyString(keyOf(pool))) };
}

async function findForge(
  { forges }: PoolContext,
  { metadata: { namespace = '' }, spec }: RunnerPool,
): Promise<{ readonly forge?: Forge; readonly trouble?: CataloguedError }> {
  try {
    if (!spec.forge) throw POOL_FORGE_NOT_NAMED();
    return { forge: await forges.find({ namespace, ...spec.forge }) };
  } catch (error) {
    if (error instanceof CataloguedError) return { trouble: error };
    throw error;
  }
}

/** Index of Pods and Secrets: `<namespace>/<pool>`. */
export const BY_POOL = 'runner-pool';
export const poolsOf = ({ metadata }: KubeObject): string[] => {
  const name = metadata.labels?.[names.labels.runnerPool];
  return name ? [keyString({ namespace: metadata.namespace ?? '', name })] : [];
};

export interface RunnerCaches {
  readonly pods: Cache<Pod>;
  readonly secrets: Cache<KubeSecret>;
  readonly nodes: Cache<Node>;
}

/** All runners of a pool with a Pod or a Secret, by their common name. */
function readRunners(caches: RunnerCaches, pool: RunnerPool, account: RunnerList): readonly PoolRunner[] {
  const key = keyString(keyOf(pool));
  const pods = byName(caches.pods.by(BY_POOL, key));
  const secrets = byName(caches.secrets.by(BY_POOL, key));
  return [...new Set([...pods.keys(), ...secrets.keys()])].map(name => {
    const pod = pods.get(name);
    const node = pod?.spec?.nodeName ? caches.nodes.get({ name: pod.spec.nodeName }) : undefined;
    return classifyRunner({ name, pod, secret: secrets.get(name), node, account, image: pool.spec.image });
  });
}

const byName = <T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map(object => [object.metadata.name, object]));

/** Reasons why Pods are stuck in Terminating, by name. */
export type StuckPods = ReadonlyMap<string, string>;

const NODE_GONE = 'its Node no longer exists; Kubernetes removes the Pod within minutes';
const OLDER_AGENT =
  'the finalizer of the older agent blocks it; the provider removes it, or run minifleet unstick pods';

interface StuckPodsView {
  readonly runners: readonly PoolRunner[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly stuckAfter: Duration;
  readonly now: number;
}

/** Pods that are overdue in Terminating. None is ignored: they are not alive and may occupy a VM slot (I10). */
export function stuckPods({ runners, nodeOf, stuckAfter, now }: StuckPodsView): StuckPods {
  const found = new Map<string, string>();
  for (const { name, pod, state } of runners) {
    if (!pod || state !== 'terminating' || !isOverdue({ pod, now, stuckAfter })) continue;
    const node = nodeOf(pod.spec?.nodeName ?? '');
    const verdict = judgeStuckPod({ pod, node, now, stuckAfter });
    if (verdict.kind === 'stuck') found.set(name, describeStuckCause(verdict.cause, pod.metadata.finalizers));
    else found.set(name, verdict.kind === 'release' ? OLDER_AGENT : NODE_GONE);
  }
  return found;
}

const describeStuckCause = (cause: StuckCause, finalizers: readonly string[] = []): string =>
  cause === 'OtherFinalizer' ? `${stuckCauses[cause]} (${finalizers.join(', ')})` : stuckCauses[cause];
