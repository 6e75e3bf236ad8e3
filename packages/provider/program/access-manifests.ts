import { JOIN_ACCESS, type PolicyRule } from '../join/access-rules.ts';
import {
  CAPI_REMOTE,
  CAPI_REMOTE_RULES,
  CLUSTER_RULES,
  CREDENTIALS_ROLE,
  CREDENTIALS_RULES,
  NAMESPACE,
  type NonResourceRule,
  OWN_RULES,
  PROVIDER,
} from './access.ts';
import { podFinalizerPolicy } from './pod-finalizer-policy.ts';

const RBAC = 'rbac.authorization.k8s.io';

type Rules = readonly (PolicyRule | NonResourceRule)[];
type Kind = 'Role' | 'ClusterRole';

/** Objects of config/rbac, by file. All are to be applied; a fleet in another namespace needs a RoleBinding of its own there. */
export function accessManifests(): ReadonlyMap<string, readonly object[]> {
  const provider = account(PROVIDER);
  const tokens = `${PROVIDER}-bootstrap-tokens`;
  return new Map([
    [
      'provider.yaml',
      [
        serviceAccount(PROVIDER),
        role(PROVIDER, CLUSTER_RULES),
        binding({ name: PROVIDER, role: PROVIDER, subject: provider }),
        role(PROVIDER, OWN_RULES, NAMESPACE),
        binding({ name: PROVIDER, role: PROVIDER, kind: 'Role', namespace: NAMESPACE, subject: provider }),
      ],
    ],
    [
      'bootstrap-tokens.yaml',
      [
        role(tokens, JOIN_ACCESS.tokens.rules, JOIN_ACCESS.tokens.namespace),
        binding({
          name: tokens,
          role: tokens,
          kind: 'Role',
          namespace: JOIN_ACCESS.tokens.namespace,
          subject: provider,
        }),
        binding({
          name: 'minifleet-joining',
          role: JOIN_ACCESS.joining.clusterRole,
          subject: group(JOIN_ACCESS.joining.group),
        }),
      ],
    ],
    [
      'fleet-credentials.yaml',
      [
        role(CREDENTIALS_ROLE, CREDENTIALS_RULES),
        binding({ name: CREDENTIALS_ROLE, role: CREDENTIALS_ROLE, namespace: NAMESPACE, subject: provider }),
      ],
    ],
    [
      'capi-remote.yaml',
      [
        serviceAccount(CAPI_REMOTE),
        role(CAPI_REMOTE, CAPI_REMOTE_RULES),
        binding({ name: CAPI_REMOTE, role: CAPI_REMOTE, subject: account(CAPI_REMOTE) }),
      ],
    ],
    ['pod-finalizers.yaml', podFinalizerPolicy()],
  ]);
}

const serviceAccount = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace: NAMESPACE, name },
});

const role = (name: string, rules: Rules, namespace?: string) => ({
  apiVersion: `${RBAC}/v1`,
  kind: namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: { ...(namespace === undefined ? {} : { namespace }), name },
  rules,
});

interface Binding {
  readonly name: string;
  readonly role: string;
  /** ClusterRole unless said. */
  readonly kind?: Kind;
  /** The whole cluster unless said. */
  readonly namespace?: string;
  readonly subject: object;
}

const binding = ({ name, role: roleName, kind = 'ClusterRole', namespace, subject }: Binding) => ({
  apiVersion: `${RBAC}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { ...(namespace === undefined ? {} : { namespace }), name },
  roleRef: { apiGroup: RBAC, kind, name: roleName },
  subjects: [subject],
});

const account = (name: string) => ({ kind: 'ServiceAccount', namespace: NAMESPACE, name });
const group = (name: string) => ({ apiGroup: RBAC, kind: 'Group', name });
