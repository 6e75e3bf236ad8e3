import { names } from '@minifleet/api';
import { PROGRAM_NAMESPACE } from '@minifleet/kube';
import { PROVIDER } from './access.ts';

const NAME = 'minifleet-pod-finalizers';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const held = `'${names.finalizers.vmCleanup}'`;

/** Restriction that RBAC cannot express: the provider may only remove the finalizer of the previous agent from a Pod. */
export const podFinalizerPolicy = (): readonly object[] => [
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
