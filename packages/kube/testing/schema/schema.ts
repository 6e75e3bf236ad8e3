/** Structural schema of a CustomResourceDefinition. The same keywords describe how lists of built-in kinds merge. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  /** Only built-in kinds have it: the key by which a strategic merge patch finds the item of a list. */
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

/** Returns the schema of a field, declared by name or by `additionalProperties`. */
export function fieldSchema(schema: Schema | undefined, field: string): Schema | undefined {
  const declared = schema?.properties?.[field];
  if (declared) return declared;
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

export type ListType = 'atomic' | 'set' | 'map';

export const listTypeOf = (schema: Schema | undefined): ListType => schema?.['x-kubernetes-list-type'] ?? 'atomic';

export const mapKeysOf = (schema: Schema | undefined): readonly string[] =>
  schema?.['x-kubernetes-list-map-keys'] ?? [];

export const isAtomicMap = (schema: Schema | undefined): boolean => schema?.['x-kubernetes-map-type'] === 'atomic';

const listBy = (key: string, items: Schema = {}): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
  'x-kubernetes-patch-merge-key': key,
  'x-kubernetes-patch-strategy': 'merge',
});

export { listBy };

/** ObjectMeta, the same for every kind. */
export const metadataSchema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    generateName: { type: 'string' },
    namespace: { type: 'string' },
    selfLink: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    creationTimestamp: { type: 'string' },
    deletionTimestamp: { type: 'string' },
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    ownerReferences: listBy('uid', {
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-preserve-unknown-fields': true,
    }),
    managedFields: { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } },
  },
};
