/** RBAC rules of the provider and its bootstrap tokens for joining hosts. The chart renders these. */
import type { PolicyRule } from '@minifleet/kube';
import { TOKEN_GROUP, TOKEN_NAMESPACE } from './bootstrap-token.ts';
import { SIGNERS } from './certificate-request.ts';

const certificates = { apiGroups: ['certificates.k8s.io'] } as const;
const secrets = { apiGroups: [''], resources: ['secrets'] } as const;

export const JOIN_ACCESS = {
  /** Cluster-wide: approve certificate requests. */
  cluster: [
    { ...certificates, resources: ['certificatesigningrequests'], verbs: ['get', 'list', 'watch'] },
    { ...certificates, resources: ['certificatesigningrequests/approval'], verbs: ['update'] },
    { ...certificates, resources: ['signers'], resourceNames: Object.values(SIGNERS), verbs: ['approve'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
  ],
  /** Bootstrap tokens, only in this namespace. */
  tokens: {
    namespace: TOKEN_NAMESPACE,
    rules: [{ ...secrets, verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'] }],
  },
  /** Fleet keys and host credentials in the namespaces of machines; no list permission. */
  credentials: [{ ...secrets, verbs: ['get', 'create', 'update', 'patch', 'delete'] }],
  /** For tokens: create certificate requests. Not `…:nodeclient`, with which Kubernetes would approve every request of a token. */
  joining: { group: TOKEN_GROUP, clusterRole: 'system:node-bootstrapper' },
} as const satisfies {
  readonly cluster: readonly PolicyRule[];
  readonly tokens: { readonly namespace: string; readonly rules: readonly PolicyRule[] };
  readonly credentials: readonly PolicyRule[];
  readonly joining: { readonly group: string; readonly clusterRole: string };
};
