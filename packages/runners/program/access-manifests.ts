import { accountObject, accountSubject, bindingObject, PROGRAM_NAMESPACE, roleObject } from '@minifleet/kube';
import { CLUSTER_RULES, OWN_RULES, POOLS_NAMESPACE, POOLS_ROLE, POOLS_RULES, RUNNERS } from './access.ts';

/** Objects of config/rbac, by file. Pools in another namespace need a RoleBinding of their own there. */
export function runnersAccess(): ReadonlyMap<string, readonly object[]> {
  const subject = accountSubject(RUNNERS);
  return new Map([
    [
      'runners.yaml',
      [
        accountObject(RUNNERS),
        roleObject(RUNNERS, CLUSTER_RULES),
        bindingObject({ name: RUNNERS, role: RUNNERS, subject }),
        roleObject(RUNNERS, OWN_RULES, PROGRAM_NAMESPACE),
        bindingObject({ name: RUNNERS, role: RUNNERS, kind: 'Role', namespace: PROGRAM_NAMESPACE, subject }),
      ],
    ],
    [
      'runner-pools.yaml',
      [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: POOLS_NAMESPACE } },
        roleObject(POOLS_ROLE, POOLS_RULES),
        bindingObject({ name: POOLS_ROLE, role: POOLS_ROLE, namespace: POOLS_NAMESPACE, subject }),
      ],
    ],
  ]);
}
