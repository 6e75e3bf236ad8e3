import { z } from 'zod';
import { kubernetes } from './kubernetes.ts';
import type { Output } from './output.ts';

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

export type Quantity = Output<typeof quantity>;
export type ResourceList = Output<typeof resourceList>;
