import {
  accountObject,
  accountSubject,
  bindingObject,
  groupSubject,
  PROGRAM_NAMESPACE,
  roleObject,
} from '@minifleet/kube';
import { JOIN_ACCESS } from '../join/access-rules.ts';
import {
  CAPI_REMOTE,
  CAPI_REMOTE_RULES,
  CLUSTER_RULES,
  CREDENTIALS_ROLE,
  CREDENTIALS_RULES,
  OWN_RULES,
  PROVIDER,
} from './access.ts';
import { podFinalizerPolicy } from './pod-finalizer-policy.ts';

/** Objects of config/rbac, by file. Apply all of them. A fleet in another namespace needs an additional RoleBinding there. */
export function accessManifests(): ReadonlyMap<string, readonly object[]> {
  const provider = accountSubject(PROVIDER);
  const tokens = `${PROVIDER}-bootstrap-tokens`;
  return new Map([
    [
      'provider.yaml',
      [
        accountObject(PROVIDER),
        roleObject(PROVIDER, CLUSTER_RULES),
        bindingObject({ name: PROVIDER, role: PROVIDER, subject: provider }),
        roleObject(PROVIDER, OWN_RULES, PROGRAM_NAMESPACE),
        bindingObject({
          name: PROVIDER,
          role: PROVIDER,
          kind: 'Role',
          namespace: PROGRAM_NAMESPACE,
          subject: provider,
        }),
      ],
    ],
    [
      'bootstrap-tokens.yaml',
      [
        roleObject(tokens, JOIN_ACCESS.tokens.rules, JOIN_ACCESS.tokens.namespace),
        bindingObject({
          name: tokens,
          role: tokens,
          kind: 'Role',
          namespace: JOIN_ACCESS.tokens.namespace,
          subject: provider,
        }),
        bindingObject({
          name: 'minifleet-joining',
          role: JOIN_ACCESS.joining.clusterRole,
          subject: groupSubject(JOIN_ACCESS.joining.group),
        }),
      ],
    ],
    [
      'fleet-credentials.yaml',
      [
        roleObject(CREDENTIALS_ROLE, CREDENTIALS_RULES),
        bindingObject({
          name: CREDENTIALS_ROLE,
          role: CREDENTIALS_ROLE,
          namespace: PROGRAM_NAMESPACE,
          subject: provider,
        }),
      ],
    ],
    [
      'capi-remote.yaml',
      [
        accountObject(CAPI_REMOTE),
        roleObject(CAPI_REMOTE, CAPI_REMOTE_RULES),
        bindingObject({ name: CAPI_REMOTE, role: CAPI_REMOTE, subject: accountSubject(CAPI_REMOTE) }),
      ],
    ],
    ['pod-finalizers.yaml', podFinalizerPolicy()],
  ]);
}
