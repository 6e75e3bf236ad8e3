/** Rights as Kubernetes writes them, made from what a program says it needs. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface NonResourceRule {
  readonly nonResourceURLs: readonly string[];
  readonly verbs: readonly string[];
}

/** Namespace of the programs and their service accounts. */
export const PROGRAM_NAMESPACE = 'minifleet-system';

const RBAC = 'rbac.authorization.k8s.io';

export const accountObject = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace: PROGRAM_NAMESPACE, name },
});

/** A Role of the namespace, or a ClusterRole without one. */
export const roleObject = (name: string, rules: readonly (PolicyRule | NonResourceRule)[], namespace?: string) => ({
  apiVersion: `${RBAC}/v1`,
  kind: namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: { ...(namespace === undefined ? {} : { namespace }), name },
  rules,
});

export interface Binding {
  readonly name: string;
  readonly role: string;
  /** Default: ClusterRole. */
  readonly kind?: 'Role' | 'ClusterRole';
  /** Default: the whole cluster. */
  readonly namespace?: string;
  readonly subject: object;
}

export const bindingObject = ({ name, role, kind = 'ClusterRole', namespace, subject }: Binding) => ({
  apiVersion: `${RBAC}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { ...(namespace === undefined ? {} : { namespace }), name },
  roleRef: { apiGroup: RBAC, kind, name: role },
  subjects: [subject],
});

export const accountSubject = (name: string) => ({ kind: 'ServiceAccount', namespace: PROGRAM_NAMESPACE, name });
export const groupSubject = (name: string) => ({ apiGroup: RBAC, kind: 'Group', name });
