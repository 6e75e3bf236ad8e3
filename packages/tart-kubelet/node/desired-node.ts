import * as names from '@minifleet/api/names';
import type { NewObject, Node } from '@minifleet/kube';
import { nodeLabels } from './node-labels.ts';
import type { NodeSettings } from './node-settings.ts';

/** Put on by who makes a machine, taken off by Cluster API when it has written its labels: until then no Pod may come. */
const UNINITIALIZED = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' } as const;

/**
 * A new Node. Taints can only be given now: NodeRestriction forbids a node to change them later. Without a provider's id
 * there is no machine controller, and nobody would ever take the uninitialized taint off.
 */
export function newNode(settings: NodeSettings, status: object): NewObject<Node> {
  const { name, providerId } = settings;
  return {
    metadata: { name, labels: nodeLabels(settings) },
    spec: {
      taints: [{ ...names.taints.macos }, ...(settings.taints ?? []), ...(providerId ? [UNINITIALIZED] : [])],
      ...(providerId ? { providerID: providerId } : {}),
    },
    status,
  };
}

/**
 * The merge patch that makes a Node that is there already ours: labels that are missing or differ, and the provider's id
 * where there is none. Foreign labels stay, and an id that is set is never overwritten (I20). Undefined: nothing to do.
 */
export function nodeCorrection(node: Node, settings: NodeSettings): object | undefined {
  const wanted = Object.entries(nodeLabels(settings));
  const wrong = wanted.filter(([key, value]) => node.metadata.labels?.[key] !== value);
  const { providerId } = settings;
  const adopts = providerId !== undefined && providerId !== '' && !node.spec?.providerID;
  if (wrong.length === 0 && !adopts) return undefined;
  return {
    ...(wrong.length > 0 ? { metadata: { labels: Object.fromEntries(wrong) } } : {}),
    ...(adopts ? { spec: { providerID: providerId } } : {}),
  };
}
