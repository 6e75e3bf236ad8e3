import { z } from 'zod';
import { conditions } from '../schema/condition-catalogue.ts';
import { kubernetes } from '../schema/kubernetes.ts';

/** Conditions that mean the same on every kind. */
export const pausedCondition = {
  meaning: 'Nothing is changed because someone paused this object or its Cluster.',
  reasons: {
    Paused: 'Paused by spec.paused of the Cluster or by the annotation cluster.x-k8s.io/paused; remove it to go on.',
    NotPaused: 'Neither the Cluster nor this object is paused.',
  },
} as const;

/** Reasons any phase may end with when the cause is ours and not the user's. */
export const unexpected = {
  InternalError: 'Something unexpected went wrong; the controller log has the cause under the same reconcile id.',
} as const;

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
