/** RBAC rules of the provider. Each rule is next to the code that needs it. Rendered into config/rbac. */
import { names } from '@minifleet/api';
import type { NonResourceRule, PolicyRule } from '@minifleet/kube';
import { JOIN_ACCESS } from '../join/access-rules.ts';

export const PROVIDER = 'minifleet-provider';
export const CREDENTIALS_ROLE = 'minifleet-fleet-credentials';
export const CAPI_REMOTE = 'capi-remote';

const { groups } = names;
const core = { apiGroups: [''] } as const;
const read = ['get', 'list', 'watch'] as const;
const MACHINES_AND_CLUSTERS = [
  'scalewayapplesiliconmachines',
  'scalewayapplesiliconclusters',
  'macmachines',
  'macclusters',
] as const;

/** In the whole cluster. No Secret is among them. */
export const CLUSTER_RULES: readonly PolicyRule[] = [
  {
    apiGroups: [groups.infrastructure],
    resources: MACHINES_AND_CLUSTERS,
    verbs: [...read, 'patch'],
  },
  {
    apiGroups: [groups.infrastructure],
    resources: MACHINES_AND_CLUSTERS.map(resource => `${resource}/status`),
    verbs: ['patch'],
  },
  // Discovery creates hosts. A claim is a conditional update.
  { apiGroups: [groups.minifleet], resources: ['machosts'], verbs: [...read, 'create', 'update', 'patch'] },
  { apiGroups: [groups.minifleet], resources: ['machosts/status'], verbs: ['update', 'patch'] },
  // Objects of the older version become MacHosts when the provider starts.
  { apiGroups: [groups.infrastructure], resources: ['hostclaims'], verbs: ['get', 'list', 'patch', 'delete'] },
  { apiGroups: [groups.controlPlane], resources: ['externalcontrolplanes'], verbs: [...read, 'patch'] },
  { apiGroups: [groups.controlPlane], resources: ['externalcontrolplanes/status'], verbs: ['patch'] },
  { apiGroups: ['cluster.x-k8s.io'], resources: ['clusters', 'machines', 'machinedeployments'], verbs: read },
  // To tell a Machine the condition that it has for a readiness gate.
  { apiGroups: ['cluster.x-k8s.io'], resources: ['machines/status'], verbs: ['patch'] },
  // Its UID distinguishes clusters that use the same hosts.
  { ...core, resources: ['namespaces'], resourceNames: ['kube-system'], verbs: read },
  // To remove one finalizer. RBAC cannot say which field, so pod-finalizers.yaml does.
  { ...core, resources: ['pods'], verbs: [...read, 'patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  // Cluster API deletes no Nodes of a Cluster that is being deleted, so the Node of a released Mac is deleted here.
  { ...core, resources: ['nodes'], verbs: ['delete'] },
  ...JOIN_ACCESS.cluster,
];

/** In the provider's own namespace. */
export const OWN_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  // The list of servers that nothing manages.
  { ...core, resources: ['configmaps'], verbs: ['get', 'create', 'update'] },
  // What minted tokens are bound to.
  { ...core, resources: ['secrets'], verbs: ['get', 'create', 'delete'] },
  { ...core, resources: ['serviceaccounts/token'], resourceNames: [CAPI_REMOTE], verbs: ['create'] },
];

/** In each namespace with fleets, by a RoleBinding there: keys, what is known of hosts, `<cluster>-kubeconfig`. */
export const CREDENTIALS_RULES: readonly PolicyRule[] = JOIN_ACCESS.credentials;

/** Permissions of Cluster API in the cluster of the Macs: only what its machine, drain and health-check controllers call. */
export const CAPI_REMOTE_RULES: readonly (PolicyRule | NonResourceRule)[] = [
  { ...core, resources: ['nodes'], verbs: [...read, 'patch', 'delete'] },
  { ...core, resources: ['namespaces'], verbs: read },
  { ...core, resources: ['pods'], verbs: ['get', 'list'] },
  { ...core, resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get'] },
  { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: ['list'] },
  { ...core, resources: ['persistentvolumes'], verbs: ['list'] },
  { nonResourceURLs: ['/'], verbs: ['get'] },
];
