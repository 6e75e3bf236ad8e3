/** What the provider and its tokens may do so that hosts join, as RBAC says it. The chart renders these. */
import type { PolicyRule } from '@minifleet/kube';
import { TOKEN_GROUP, TOKEN_NAMESPACE } from './bootstrap-token.ts';
import { SIGNERS } from './requester.ts';

const certificates = { apiGroups: ['certificates.k8s.io'] } as const;
const secrets = { apiGroups: [''], resources: ['secrets'] } as const;

export const JOIN_ACCESS = {
  /** In the whole cluster: to be the approver. */
  cluster: [
    { ...certificates, resources: ['certificatesigningrequests'], verbs: ['get', 'list', 'watch'] },
    { ...certificates, resources: ['certificatesigningrequests/approval'], verbs: ['update'] },
    { ...certificates, resources: ['signers'], resourceNames: Object.values(SIGNERS), verbs: ['approve'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
  ],
  /** There alone: tokens. */
  tokens: {
    namespace: TOKEN_NAMESPACE,
    rules: [{ ...secrets, verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'] }],
  },
  /** Where machines are: the fleet's key and what is known of hosts. None is listed. */
  credentials: [{ ...secrets, verbs: ['get', 'create', 'update', 'patch', 'delete'] }],
  /** The token's: to ask. Not `…:nodeclient`, by which the cluster itself would approve whatever a token asks for. */
  joining: { group: TOKEN_GROUP, clusterRole: 'system:node-bootstrapper' },
} as const satisfies {
  readonly cluster: readonly PolicyRule[];
  readonly tokens: { readonly namespace: string; readonly rules: readonly PolicyRule[] };
  readonly credentials: readonly PolicyRule[];
  readonly joining: { readonly group: string; readonly clusterRole: string };
};
