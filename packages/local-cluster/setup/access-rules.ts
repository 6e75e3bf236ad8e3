/** The bindings a cluster needs so that hosts can join by a token and the API server can reach them. kubeadm makes the same. */
import type { HttpsClient } from '../https-client.ts';
import { CAPI_CORE_USER, KUBELET_CLIENT_USER } from '../pki/cluster-pki.ts';
import { createObject } from './create-object.ts';

type Subject = { readonly kind: 'Group' | 'User'; readonly name: string };

const CSR_ROLE = 'system:certificates.k8s.io:certificatesigningrequests';

export const ACCESS_RULES: readonly { readonly name: string; readonly role: string; readonly subject: Subject }[] = [
  {
    name: 'minifleet:kubelet-bootstrap',
    role: 'system:node-bootstrapper',
    subject: { kind: 'Group', name: 'system:bootstrappers' },
  },
  {
    name: 'minifleet:node-client-approval',
    role: `${CSR_ROLE}:nodeclient`,
    subject: { kind: 'Group', name: 'system:bootstrappers' },
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
  // Cluster API's own role is aggregated from the providers installed; a local cluster has no such list, and nothing to protect from it.
  { name: 'minifleet:capi-core', role: 'cluster-admin', subject: { kind: 'User', name: CAPI_CORE_USER } },
];

export async function createAccessRules(client: HttpsClient): Promise<void> {
  const group = 'rbac.authorization.k8s.io';
  await Promise.all(
    ACCESS_RULES.map(({ name, role, subject }) => {
      const binding = {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: group, ...subject }],
      };
      return createObject(client, `/apis/${group}/v1/clusterrolebindings`, binding);
    }),
  );
}
