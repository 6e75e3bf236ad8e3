import {
  certificateSigningRequests,
  configMaps,
  customResourceDefinitions,
  events,
  leases,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
} from '../../client/built-in.ts';
import type { Resource } from '../../client/resource.ts';
import { completeDefinition, prepareDefinition, validateDefinition } from './built-in/definition.ts';
import { prepareNamespace } from './built-in/namespace.ts';
import { completePod, preparePod, validatePod } from './built-in/pod.ts';
import { completeSecret } from './built-in/secret.ts';
import {
  appliedConditionsSchema,
  namespaceSchema,
  nodeSchema,
  plainSchema,
  podSchema,
  serviceAccountSchema,
} from './built-in-schema.ts';
import { kindId, type ServedKind } from './served-kind.ts';

/** Properties of a plain kind such as ConfigMap. Other kinds override some of them. */
const plainKind = (resource: Resource, more: Partial<ServedKind> = {}): ServedKind => ({
  id: kindId(resource),
  resource,
  custom: false,
  schema: plainSchema,
  subresources: [],
  generation: false,
  metadataWithStatus: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  graceful: false,
  selectableFields: [],
  servedSince: 0,
  ...more,
});

const podFields = ['nodeName', 'restartPolicy', 'schedulerName', 'serviceAccountName', 'hostNetwork'];
const regarding = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

export const builtInKinds: readonly ServedKind[] = [
  plainKind(namespaces, {
    schema: namespaceSchema,
    subresources: ['status'],
    metadataWithStatus: true,
    selectableFields: ['status.phase'],
    prepareNew: prepareNamespace,
  }),
  plainKind(pods, {
    schema: podSchema,
    subresources: ['status'],
    generation: true,
    metadataWithStatus: true,
    graceful: true,
    selectableFields: [...podFields.map(field => `spec.${field}`), 'status.phase', 'status.podIP'],
    complete: completePod,
    prepareNew: preparePod,
    validate: validatePod,
  }),
  plainKind(nodes, {
    schema: nodeSchema,
    subresources: ['status'],
    metadataWithStatus: true,
    selectableFields: ['spec.unschedulable'],
  }),
  plainKind(secrets, { selectableFields: ['type'], complete: completeSecret }),
  plainKind(configMaps),
  plainKind(serviceAccounts, { schema: serviceAccountSchema }),
  plainKind(leases, { unconditionalUpdate: false, createOnUpdate: true }),
  plainKind(events, {
    createOnUpdate: true,
    selectableFields: [...regarding.map(field => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  }),
  plainKind(certificateSigningRequests, {
    schema: appliedConditionsSchema,
    subresources: ['status', 'approval'],
    selectableFields: ['spec.signerName'],
    prepareNew: request => {
      delete request['status'];
    },
  }),
  plainKind(customResourceDefinitions, {
    schema: appliedConditionsSchema,
    subresources: ['status'],
    generation: true,
    unconditionalUpdate: false,
    complete: completeDefinition,
    prepareNew: prepareDefinition,
    validate: validateDefinition,
  }),
];
