import { z } from 'zod';
import type { SchemaOutput } from './schema-output.ts';

/** A moment as Kubernetes writes it: RFC 3339. */
export const time = z.iso.datetime({ offset: true });

// The same pattern that Kubernetes' own types carry, so that 14Gi, 8 and 500m all pass and "lots" does not.
const pattern = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/;

/** An amount of a resource: a whole number or a text such as 14Gi. */
export const quantity = kubernetes(
  z.union([z.int(), z.string().max(64).regex(pattern, 'a whole number or a quantity such as 14Gi')]),
  {
    'x-kubernetes-int-or-string': true,
  },
).meta({ pattern: pattern.source });

/** Resource name to amount, as in Node.status.capacity. */
export const resourceList = kubernetes(z.record(z.string(), quantity), { maxProperties: 64 });

export type Quantity = SchemaOutput<typeof quantity>;

/** CRD schema extensions that plain OpenAPI and zod do not have. */
interface Extensions {
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
