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

/** Scale subresource, for `kubectl scale` and autoscalers. */
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

/** Schema of a whole object. metadata has no fields here, because the API server owns that schema. */
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

// Cluster API derives the name of a CRD from its kind with the Go library flect.
// flect has dozens of endings (policy, box, roof…). For these it was verified that it only adds an `s`.
const regular = /(?:ne|te|er|im|ol|ost)$/;

/** The plural that Cluster API expects for a kind; throws for an ending whose plural has not been checked against flect. */
export function contractPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (!regular.test(singular)) {
    throw new Error(`unknown plural of ${kind}: check flect.Pluralize("${singular}") and add its ending here`);
  }
  return `${singular}s`;
}
