import { names } from '@minifleet/api';
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

const NAME = 'minifleet-pod-finalizers';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const held = `'${names.finalizers.vmCleanup}'`;

/** Restriction that RBAC cannot express: the provider may only remove the finalizer of the previous agent from a Pod. */
const podFinalizerPolicy = (): readonly object[] => [
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] }],
      },
      matchConditions: [
        {
          name: 'provider',
          expression: `request.userInfo.username == 'system:serviceaccount:${PROGRAM_NAMESPACE}:${PROVIDER}'`,
        },
      ],
      validations: [
        unchanged('object.spec == oldObject.spec', 'spec'),
        unchanged(same('labels'), 'labels'),
        unchanged(same('annotations'), 'annotations'),
        unchanged(same('ownerReferences'), 'ownerReferences'),
        {
          expression: `oldObject.metadata.?finalizers.orValue([]).filter(one, one != ${held}) == object.metadata.?finalizers.orValue([]).filter(one, one != ${held})`,
          message: `the provider may remove only the finalizer ${names.finalizers.vmCleanup}`,
        },
      ],
    },
  },
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ['Deny'] },
  },
];

const same = (field: string): string =>
  `has(object.metadata.${field}) == has(oldObject.metadata.${field}) && (!has(object.metadata.${field}) || object.metadata.${field} == oldObject.metadata.${field})`;

const unchanged = (expression: string, field: string) => ({
  expression,
  message: `the provider may not change the ${field} of a Pod`,
});
