import { listBy, metadataSchema, type Schema } from '../schema/schema.ts';

/**
 * Merge rules of the lists of built-in kinds, from the OpenAPI document of Kubernetes 1.36. Only lists that merge are here:
 * any other list is replaced as a whole, and any other field is an ordinary field.
 */
const strategicOnly = (key: string): Schema => ({
  type: 'array',
  'x-kubernetes-patch-merge-key': key,
  'x-kubernetes-patch-strategy': 'merge',
});
const appliedOnly = (key: string): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});
const atomicMap: Schema = { type: 'object', 'x-kubernetes-map-type': 'atomic' };

const container: Schema = {
  properties: {
    env: listBy('name'),
    ports: { ...listBy('containerPort'), 'x-kubernetes-list-map-keys': ['containerPort', 'protocol'] },
    volumeMounts: listBy('mountPath'),
    volumeDevices: listBy('devicePath'),
  },
};

const conditions: Schema = listBy('type');

const withMetadata = (properties: Record<string, Schema>): Schema => ({
  properties: { metadata: metadataSchema, ...properties },
});

export const plainSchema: Schema = withMetadata({});

export const podSchema: Schema = withMetadata({
  spec: {
    properties: {
      containers: listBy('name', container),
      initContainers: listBy('name', container),
      ephemeralContainers: listBy('name', container),
      volumes: listBy('name'),
      imagePullSecrets: listBy('name'),
      hostAliases: listBy('ip'),
      nodeSelector: atomicMap,
    },
  },
  status: { properties: { conditions, podIPs: listBy('ip'), hostIPs: strategicOnly('ip') } },
});

export const nodeSchema: Schema = withMetadata({
  spec: {
    properties: {
      podCIDRs: { type: 'array', 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' },
    },
  },
  status: { properties: { conditions, addresses: listBy('type') } },
});

export const namespaceSchema: Schema = withMetadata({ status: { properties: { conditions } } });

export const serviceAccountSchema: Schema = withMetadata({ secrets: listBy('name') });

/** Kinds younger than strategic merge patch: their conditions merge when applied, and are replaced when patched. */
export const appliedConditionsSchema: Schema = withMetadata({
  status: { properties: { conditions: appliedOnly('type') } },
});
