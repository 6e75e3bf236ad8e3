/** RBAC rules of the runners program. Each rule is next to the code that needs it. Rendered into config/rbac. */
import { names } from '@minifleet/api';
import type { PolicyRule } from '@minifleet/kube';

export const RUNNERS = 'minifleet-runners';
/** Default namespace of pools, the same as in the previous system. */
export const POOLS_NAMESPACE = 'tuist-runners';
export const POOLS_ROLE = 'minifleet-runner-pools';

const core = { apiGroups: [''] } as const;
const ours = { apiGroups: [names.groups.runners] } as const;
const read = ['get', 'list', 'watch'] as const;

/** In the whole cluster. No Pod and no Secret is among them. */
export const CLUSTER_RULES: readonly PolicyRule[] = [
  // Which Macs are there, which of them leave.
  { ...core, resources: ['nodes'], verbs: read },
];

/** In the program's own namespace. */
export const OWN_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** Bound in each namespace with pools only: permission to create Pods in a namespace gives access to all its Secrets. */
export const POOLS_RULES: readonly PolicyRule[] = [
  // The finalizer, and what the autoscaler writes.
  { ...ours, resources: ['runnerpools'], verbs: [...read, 'patch'] },
  { ...ours, resources: ['runnerpools/status'], verbs: ['patch'] },
  { ...core, resources: ['pods'], verbs: [...read, 'create', 'delete'] },
  { ...core, resources: ['pods/log'], verbs: ['get'] },
  // The forge's key, and one for each runner.
  { ...core, resources: ['secrets'], verbs: [...read, 'create', 'patch', 'delete'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];
