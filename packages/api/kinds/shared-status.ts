import { z } from 'zod';
import { conditions } from '../schema/condition-catalogue.ts';
import { kubernetes } from '../schema/kubernetes.ts';

/** Conditions with the same meaning in every CRD. */
export const pausedCondition = {
  meaning: 'Reconciliation is paused for this object or its Cluster.',
  reasons: {
    Paused: 'Paused by spec.paused of the Cluster or by the annotation cluster.x-k8s.io/paused; remove it to continue.',
    NotPaused: 'Neither the Cluster nor this object is paused.',
  },
} as const;

/** Reasons of any phase for a failure inside the provider. */
export const unexpected = {
  InternalError: 'Unexpected error; the controller log shows the cause under the same reconcile id.',
} as const;

/** Status fields of every Minifleet CRD; kstatus (kubectl wait, Helm, Flux) reads them under these names. */
export const sharedStatus = {
  observedGeneration: z.int().min(0).optional().describe('metadata.generation this status was computed from.'),
  conditions: conditions.optional().describe('Conditions of this object, one entry per type.'),
};

/** One-way switch of the Cluster API contract: Cluster API waits for it and ignores later changes. */
export const provisionedOnce = kubernetes(
  z.object({
    provisioned: z
      .boolean()
      .optional()
      .describe('True when the infrastructure is provisioned; never becomes false again.'),
  }),
  { minProperties: 1 },
);
