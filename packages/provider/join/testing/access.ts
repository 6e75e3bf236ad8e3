import {
  type MacHost,
  macHost,
  machineKinds,
  macMachine,
  names,
  type ScalewayAppleSiliconMachine,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import {
  type Client,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type KubeObject,
  namespaces,
  type PolicyRule,
  type Resource,
} from '@minifleet/kube';
import { JOIN_ACCESS } from '../access-rules.ts';
import { BOOTSTRAPPED } from './machine.ts';

interface Binding extends KubeObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects: { apiGroup: string; kind: string; name: string }[];
}
type Role = KubeObject & { rules: readonly PolicyRule[] };

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const clusterRoles: Resource<Role> = { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles', scope: 'Cluster' };
const roles: Resource<Role> = { ...RBAC, kind: 'Role', plural: 'roles', scope: 'Namespaced' };
const bindings: Resource<Binding> = {
  ...RBAC,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
};
const localBindings: Resource<Binding> = { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings', scope: 'Namespaced' };

const apiGroup = RBAC.group;
const name = 'minifleet-provider';
export const PROVIDER_USER = name;
const provider = { subjects: [{ apiGroup, kind: 'User', name }] };

/** Other permissions of the provider, for its own CRDs. */
const OWN: readonly PolicyRule[] = [
  {
    apiGroups: [names.groups.infrastructure],
    resources: machineKinds.map(({ resource }) => resource.plural),
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
];

/** Cluster with only the CRDs and RBAC of the provider. Its tokens lack the permissions of kubeadm's tokens. */
export async function prepareCluster(admin: Client): Promise<void> {
  for (const kind of [scalewayAppleSiliconMachine, macMachine, macHost])
    await admin.create(customResourceDefinitions, kind.crd() as unknown as CustomResourceDefinition);
  await admin.create(namespaces, { metadata: { name: 'fleet' } });
  const { cluster, tokens, credentials, joining } = JOIN_ACCESS;
  await admin.create(clusterRoles, { metadata: { name }, rules: [...cluster, ...OWN] });
  await admin.create(bindings, { metadata: { name }, roleRef: { apiGroup, kind: 'ClusterRole', name }, ...provider });
  const local = { [tokens.namespace]: tokens.rules, fleet: credentials };
  for (const [namespace, rules] of Object.entries(local)) {
    await admin.create(roles, { metadata: { namespace, name }, rules });
    const roleRef = { apiGroup, kind: 'Role', name };
    await admin.create(localBindings, { metadata: { namespace, name }, roleRef, ...provider });
  }
  await admin.create(bindings, {
    metadata: { name: 'minifleet-joining' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: joining.clusterRole },
    subjects: [{ apiGroup, kind: 'Group', name: joining.group }],
  });
}

/** A machine whose host was bootstrapped and has this address. */
export async function createMachine(
  admin: Client,
  machine: string,
  { host, address }: { readonly host: string; readonly address: string },
): Promise<ScalewayAppleSiliconMachine> {
  const { resource } = scalewayAppleSiliconMachine;
  const spec = { claimRef: { name: host, epoch: 1 }, providerID: `scw-applesilicon://fr-par-1/${host}` };
  await admin.create(resource, {
    metadata: { namespace: 'fleet', name: machine },
    spec: spec as ScalewayAppleSiliconMachine['spec'],
  });
  const status = { conditions: [BOOTSTRAPPED], addresses: [{ type: 'InternalIP', address }] };
  const key = { namespace: 'fleet', name: machine };
  return admin.patch(resource, key, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** The MacHost that this machine holds. */
export function createHeldHost(
  client: Client,
  { metadata, spec }: ScalewayAppleSiliconMachine,
  more: Partial<MacHost['spec']> = {},
): Promise<MacHost> {
  const { name: host = '', epoch = 1 } = spec.claimRef ?? {};
  const { namespace = '', uid = '', name: machine } = metadata;
  const { group: apiGroup, kind } = scalewayAppleSiliconMachine.resource;
  return client.create(macHost.resource, {
    metadata: { name: host },
    spec: {
      source: { scaleway: { zone: 'fr-par-1', serverID: host } },
      pool: 'tuist-pool-',
      claimEpoch: epoch,
      consumerRef: { apiGroup, kind, namespace, name: machine, uid },
      ...more,
    },
  });
}
