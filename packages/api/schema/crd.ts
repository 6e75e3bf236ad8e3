import type { z } from 'zod';
import type { Column } from './column.ts';
import { type OpenApi, toOpenApi } from './open-api.ts';
import type { AnyRule } from './rule.ts';

/** An apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface Crd {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string; labels: Readonly<Record<string, string>> };
  spec: {
    group: string;
    names: CrdNames;
    scope: 'Namespaced' | 'Cluster';
    versions: readonly CrdVersion[];
  };
}

interface CrdNames {
  kind: string;
  listKind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
}

interface CrdVersion {
  name: string;
  served: true;
  storage: true;
  additionalPrinterColumns: readonly Column[];
  schema: { openAPIV3Schema: OpenApi };
  subresources: { status: Record<string, never>; scale?: ScaleSubresource };
}

/** Lets `kubectl scale` and autoscalers of others read and write how many are wanted. */
export interface ScaleSubresource {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath: string;
}

interface CrdParts {
  description: string;
  spec: z.ZodType;
  status: z.ZodType;
  rules: readonly AnyRule[];
}

/** The schema of a whole object. metadata is only named: the API server knows its schema and allows no other. */
export function objectSchema({ description, spec, status, rules }: CrdParts): OpenApi {
  const validations = rules.map(({ cel, message }) => ({ rule: cel, message }));
  const specSchema = toOpenApi(spec);
  return {
    type: 'object',
    description,
    properties: {
      apiVersion: { type: 'string', maxLength: 256, description: 'API version of this object.' },
      kind: { type: 'string', maxLength: 63, description: 'Kind of this object.' },
      metadata: { type: 'object' },
      spec: specSchema,
      status: toOpenApi(status),
    },
    ...(specSchema.default === undefined ? { required: ['spec'] } : {}),
    ...(validations.length === 0 ? {} : { 'x-kubernetes-validations': validations }),
  };
}

// Cluster API core computes a CRD's name from its kind with the Go library flect and looks for no other.
// flect has dozens of endings (policy, box, roof…). These are the ones where it was seen to add only an `s`.
const regular = /(?:ne|te|er|im|ol)$/;

/** The plural that Cluster API expects for a kind; throws for an ending whose plural has not been checked against flect. */
export function contractPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (!regular.test(singular)) {
    throw new Error(`unknown plural of ${kind}: check flect.Pluralize("${singular}") and add its ending here`);
  }
  return `${singular}s`;
}
