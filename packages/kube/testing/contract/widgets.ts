import type { CustomResourceDefinition } from '../../client/built-in.ts';
import type { NewObject } from '../../client/client.ts';
import type { Resource } from '../../client/resource.ts';
import type { KubeObject } from '../../object.ts';
import type { Schema } from '../schema/schema.ts';

/** Custom kind with every schema feature of the contract and a status subresource. */
export interface Widget extends KubeObject {
  spec?: {
    size?: unknown;
    count?: unknown;
    title?: unknown;
    tags?: unknown;
    ports?: unknown;
    limits?: unknown;
    either?: unknown;
    note?: unknown;
    free?: unknown;
    nested?: unknown;
    ratio?: unknown;
    stamp?: unknown;
    steps?: unknown;
  };
  status?: Record<string, unknown>;
}

/** Custom kind that accepts any fields and has no status subresource. */
export interface Gadget extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

const group = 'contract.minifleet.dev';

export const widgets: Resource<Widget> = {
  group,
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

export const gadgets: Resource<Gadget> = { group, version: 'v1', kind: 'Gadget', plural: 'gadgets', scope: 'Cluster' };

const free: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const widgetSpec: Schema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'string', enum: ['small', 'medium'] },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    title: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
    tags: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { type: 'string' },
      'x-kubernetes-list-type': 'set',
    },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, name: { type: 'string' }, protocol: { type: 'string' } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
    },
    limits: { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
    either: { 'x-kubernetes-int-or-string': true },
    note: { type: 'string', nullable: true },
    free,
    nested: { type: 'object', properties: { shade: { type: 'string', default: 'dark' } } },
    ratio: { type: 'number', multipleOf: 0.5 },
    stamp: { type: 'string', format: 'date-time' },
    steps: { type: 'array', items: { type: 'string' } },
  },
};

const widgetStatus: Schema = {
  type: 'object',
  properties: {
    phase: { type: 'string' },
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'status'],
        properties: { type: { type: 'string' }, status: { type: 'string' }, reason: { type: 'string' } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
};

type Version = CustomResourceDefinition['spec']['versions'][number];

function definition(resource: Resource, properties: Record<string, Schema>, more: Partial<Version>): Definition {
  const { kind, plural, scope, version } = resource;
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties } as NonNullable<Version['schema']>['openAPIV3Schema'],
          },
          ...more,
        } as Version,
      ],
    },
  };
}

type Definition = NewObject<CustomResourceDefinition>;

export const definitions: readonly Definition[] = [
  definition(
    widgets,
    { spec: widgetSpec, status: widgetStatus },
    { subresources: { status: {} }, selectableFields: [{ jsonPath: '.spec.size' }] },
  ),
  definition(gadgets, { spec: free, status: free }, {}),
];
