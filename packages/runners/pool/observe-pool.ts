import { isOverdue, judgeStuckPod, names, type RunnerPool, type StuckCause, stuckCauses } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { CachedRunnerList, Forge, RunnerList } from '@minifleet/forges';
import { type Cache, type KubeObject, keyOf, keyString, type Node, type Pod, type Secret } from '@minifleet/kube';
import { classifyRunner, type Runner } from '../runner/runner.ts';
import { POOL_FORGE_NOT_NAMED } from './errors.ts';
import type { PoolWork } from './pool-state.ts';

/** What one pass knows of a pool: read first, from the caches and from what was learnt of its forge. */
export interface PoolLook {
  readonly forge: Forge | undefined;
  readonly account: CachedRunnerList;
  readonly trouble: CataloguedError | undefined;
  readonly runners: readonly Runner[];
  readonly stuck: StuckPods;
  readonly lostSince: ReadonlyMap<string, number>;
  readonly now: number;
}

const NOBODY: CachedRunnerList = {
  listedAt: undefined,
  runners: new Map(),
  absent: new Set(),
  failure: undefined,
  dueAt: Infinity,
};

export async function lookAtPool(work: PoolWork, pool: RunnerPool): Promise<PoolLook> {
  const key = keyString(keyOf(pool));
  const now = work.parts.clock.now();
  const found = await findForge(work, pool);
  const account = found.forge ? work.runnerLists.read(found.forge, key) : NOBODY;
  const ofAccount = found.trouble ?? account.failure;
  const runners = readRunners(work.caches, pool, account);
  return {
    // While there is trouble nothing is asked of it but the next look.
    forge: ofAccount ? undefined : found.forge,
    account,
    trouble: ofAccount ?? work.errands.trouble(key),
    runners,
    stuck: stuckPods({ runners, nodeOf: work.nodeOf, stuckAfter: work.settings.stuckAfter, now }),
    lostSince: work.lost.note(key, runners, now),
    now,
  };
}

async function findForge(
  { forges }: PoolWork,
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

/** The index of Pods and of Secrets: `<namespace>/<pool>`. */
export const BY_POOL = 'runner-pool';
export const poolsOf = ({ metadata }: KubeObject): string[] => {
  const name = metadata.labels?.[names.labels.runnerPool];
  return name ? [keyString({ namespace: metadata.namespace ?? '', name })] : [];
};

export interface RunnerCaches {
  readonly pods: Cache<Pod>;
  readonly secrets: Cache<Secret>;
  readonly nodes: Cache<Node>;
}

/** Every runner of a pool of which anything is left, by the name that Pod and Secret share. */
export function readRunners(caches: RunnerCaches, pool: RunnerPool, account: RunnerList): readonly Runner[] {
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

/** Why a Pod that should be gone is not, in a sentence. */
export type StuckPods = ReadonlyMap<string, string>;

const NODE_GONE = 'its Node no longer exists; Kubernetes removes the Pod within minutes';
const OLDER_AGENT =
  'the finalizer of the older agent blocks it; the provider removes it, or run minifleet unstick pods';

export interface StuckLook {
  readonly runners: readonly Runner[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly stuckAfter: Duration;
  readonly now: number;
}

/** The Pods that are Terminating beyond their time. None is passed over: they are not alive, and may hold a VM slot (I10). */
export function stuckPods({ runners, nodeOf, stuckAfter, now }: StuckLook): StuckPods {
  const found = new Map<string, string>();
  for (const { name, pod, state } of runners) {
    if (!pod || state !== 'terminating' || !isOverdue({ pod, now, stuckAfter })) continue;
    const node = nodeOf(pod.spec?.nodeName ?? '');
    const verdict = judgeStuckPod({ pod, node, now, stuckAfter });
    if (verdict.kind === 'stuck') found.set(name, wordsFor(verdict.cause, pod.metadata.finalizers));
    else found.set(name, verdict.kind === 'release' ? OLDER_AGENT : NODE_GONE);
  }
  return found;
}

const wordsFor = (cause: StuckCause, finalizers: readonly string[] = []): string =>
  cause === 'OtherFinalizer' ? `${stuckCauses[cause]} (${finalizers.join(', ')})` : stuckCauses[cause];
