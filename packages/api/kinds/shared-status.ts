import { z } from 'zod';
import { conditions } from '../schema/condition.ts';
import { kubernetes } from '../schema/kubernetes.ts';

/** Status fields every kind of ours has; kstatus (kubectl wait, Helm, Flux) reads them under these names. */
export const sharedStatus = {
  observedGeneration: z.int().min(0).optional().describe('metadata.generation this status was computed from.'),
  conditions: conditions.optional().describe('What holds and what is waited for, one entry a type.'),
};

/** The contract's one-way switch. Core waits until the object and the field exist, and never looks back once it is true. */
export const provisionedOnce = kubernetes(
  z.object({
    provisioned: z
      .boolean()
      .optional()
      .describe('True once the infrastructure is there; it never becomes false again.'),
  }),
  { minProperties: 1 },
);
