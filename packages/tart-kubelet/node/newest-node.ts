import type { Node } from '@minifleet/kube';

/** The newest version of our Node that anybody has shown us: the watch, or the answer to a write of ours. */
export interface NewestNode {
  readonly current: Node | undefined;
  saw(node: Node): void;
  /** That one is gone; a newer one of the same name is not. */
  lost(uid: string | undefined): void;
}

export function createNewestNode(): NewestNode {
  let current: Node | undefined;
  return {
    get current() {
      return current;
    },
    saw(node) {
      if (!current || isNewer(node, current)) current = node;
    },
    lost(uid) {
      if (current?.metadata.uid === uid) current = undefined;
    },
  };
}

/** The watch lags behind the answers to our own writes: an older version would make us repeat them. */
function isNewer(one: Node, other: Node): boolean {
  return versionOf(one) >= versionOf(other);
}

/** Versions of one resource are numbers that grow (Kubernetes 1.35 promises it); anything else counts as newest. */
function versionOf({ metadata }: Node): bigint {
  const { resourceVersion = '' } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : BigInt(Number.MAX_SAFE_INTEGER);
}
