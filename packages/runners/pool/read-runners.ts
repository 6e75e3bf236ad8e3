import { names, type RunnerPool } from '@minifleet/api';
import type { RunnerList } from '@minifleet/forges';
import { type Cache, type KubeObject, keyOf, keyString, type Node, type Pod, type Secret } from '@minifleet/kube';
import { classifyRunner, type Runner } from '../runners/runner.ts';

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
