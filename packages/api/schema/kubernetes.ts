import type { z } from 'zod';

/** What a CRD schema may say beyond plain OpenAPI; zod has no word for these. */
export interface Extensions {
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
  minProperties?: number;
  maxProperties?: number;
}

/** Attaches Kubernetes extensions to a schema; its type and its validation in TypeScript stay the same. */
export function kubernetes<S extends z.ZodType>(schema: S, extensions: Extensions): S {
  return schema.meta({ ...schema.meta(), ...extensions });
}
