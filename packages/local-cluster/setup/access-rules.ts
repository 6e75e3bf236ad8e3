/** Role bindings that hosts need to join with a token and the API server needs to reach them. kubeadm creates the same ones. */
import type { HttpsClient } from '../https-client.ts';
import { CAPI_CORE_USER, KUBELET_CLIENT_USER } from '../pki/cluster-pki.ts';
import { createObject } from './create-object.ts';

export type AccessRule = {
  readonly name: string;
  readonly role: string;
  /** Namespace of both the role and the binding (default: cluster-wide). */
  readonly namespace?: string;
  readonly subject: Subject;
};

type Subject = { readonly kind: 'Group' | 'User'; readonly name: string };

export const RBAC = 'rbac.authorization.k8s.io';

/**
 * Like kubeadm: only tokens of this group, so that other tokens can have narrower permissions. A token names the group
 * in `auth-extra-groups`.
 */
export const BOOTSTRAP_GROUP = 'system:bootstrappers:kubeadm:default-node-token';

const CSR_ROLE = 'system:certificates.k8s.io:certificatesigningrequests';

export const ACCESS_RULES: readonly AccessRule[] = [
  {
    name: 'minifleet:kubelet-bootstrap',
    role: 'system:node-bootstrapper',
    subject: { kind: 'Group', name: BOOTSTRAP_GROUP },
  },
  {
    name: 'minifleet:node-client-approval',
    role: `${CSR_ROLE}:nodeclient`,
    subject: { kind: 'Group', name: BOOTSTRAP_GROUP },
  },
  {
    name: 'minifleet:node-client-renewal',
    role: `${CSR_ROLE}:selfnodeclient`,
    subject: { kind: 'Group', name: 'system:nodes' },
  },
  {
    name: 'minifleet:kubelet-api',
    role: 'system:kubelet-api-admin',
    subject: { kind: 'User', name: KUBELET_CLIENT_USER },
  },
  // Cluster API's own role is aggregated from the installed providers. A local cluster has no such list, and nothing to protect.
  { name: 'minifleet:capi-core', role: 'cluster-admin', subject: { kind: 'User', name: CAPI_CORE_USER } },
];

export async function createAccessRules(client: HttpsClient, rules = ACCESS_RULES): Promise<void> {
  await Promise.all(rules.map(rule => createObject(client, collectionOf(rule), bindingOf(rule))));
}

const collectionOf = ({ namespace }: AccessRule): string =>
  `/apis/${RBAC}/v1/${namespace === undefined ? 'clusterrolebindings' : `namespaces/${namespace}/rolebindings`}`;

const bindingOf = ({ name, namespace, role, subject }: AccessRule) => ({
  apiVersion: `${RBAC}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: RBAC, kind: namespace === undefined ? 'ClusterRole' : 'Role', name: role },
  subjects: [{ apiGroup: RBAC, ...subject }],
});
