import { names, type RunnerPool, runnerPool } from '@minifleet/api';
import {
  type IndexBy,
  type KubeObject,
  keyOf,
  keyString,
  mapped,
  type Node,
  nodes,
  type ObjectKey,
  type Pod,
  parseKey,
  pods,
  type Runtime,
  type Selection,
  secrets,
} from '@minifleet/kube';
import { BY_POOL, poolsOf } from './observe-pool.ts';
import type { RunnerPoolDeps, RunnerPools } from './pool-deps.ts';
import { createPoolContext } from './pool-state.ts';
import { reconcilePool } from './reconcile-pool.ts';

const BY_NODE = 'runner-node';
const onNode: IndexBy<Pod> = ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []);

/** Adds the RunnerPool controller to a runtime. It watches Pods and Secrets of runners, and all Nodes. */
export function addRunnerPools(runtime: Runtime, parts: RunnerPoolDeps): RunnerPools {
  const { namespace } = parts.settings;
  const inNamespace: Selection = namespace === undefined ? {} : { namespace };
  const ofRunners: Selection = { ...inNamespace, labelSelector: `${names.labels.runner}=true` };
  const runnerPods = runtime.informer(pods, ofRunners);
  const runnerSecrets = runtime.informer(secrets, ofRunners);
  runnerPods.addIndex(BY_POOL, poolsOf);
  runnerPods.addIndex(BY_NODE, onNode);
  runnerSecrets.addIndex(BY_POOL, poolsOf);
  const pools = runtime.informer(runnerPool.resource, inNamespace);

  let wake: (pool: ObjectKey) => void = () => undefined;
  const work = createPoolContext({
    deps: parts,
    caches: {
      pods: runnerPods.cache,
      secrets: runnerSecrets.cache,
      nodes: runtime.informer(nodes, {}).cache,
      pools: pools.cache,
    },
    wake: pool => wake(parseKey(pool)),
  });
  const poolOf = (object: KubeObject): ObjectKey[] => poolsOf(object).map(parseKey);
  const poolsOn = ({ metadata }: Node): ObjectKey[] =>
    [...new Set(runnerPods.cache.by(BY_NODE, metadata.name).flatMap(poolsOf))].map(parseKey);

  runtime.add<RunnerPool>({
    name: 'runner-pools',
    resource: runnerPool.resource,
    selection: inNamespace,
    watches: [
      mapped(pods, poolOf, ofRunners),
      mapped(secrets, poolOf, ofRunners),
      mapped(nodes, poolsOn, {}, servesOtherwise),
    ],
    wakes: each => {
      wake = each;
      return () => work.taskRunner.stop();
    },
    concurrency: work.settings.concurrency,
    reconcile: (context, key) => reconcilePool(context, key, work),
  });
  return {
    figures: () => pools.cache.list().flatMap(pool => work.figures.get(keyString(keyOf(pool))) ?? []),
  };
}

/** Ignores heartbeats; true if the Node was cordoned, uncordoned or is being deleted. */
const servesOtherwise = (previous: Node, node: Node): boolean =>
  previous.spec?.unschedulable !== node.spec?.unschedulable ||
  previous.metadata.deletionTimestamp !== node.metadata.deletionTimestamp;
