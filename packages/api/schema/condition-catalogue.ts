import { z } from 'zod';
import { kubernetes, time } from './kubernetes.ts';
import type { SchemaOutput } from './schema-output.ts';

/** metav1.Condition, with the limits of the Kubernetes type. */
const condition = z.object({
  type: z.string().min(1).max(316).describe('Name of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().min(1).max(1024).describe('Machine-readable reason in CamelCase; a stable part of the API.'),
  message: z
    .string()
    .max(32768)
    .describe('Human-readable message: the state, or what the controller waits for and what to do.'),
  lastTransitionTime: time.describe('Time of the last change of status.'),
  observedGeneration: z.int().min(0).optional().describe('metadata.generation this condition was computed from.'),
});

/** List keyed by type, so that two writers can each own their conditions. */
export const conditions = kubernetes(z.array(condition).max(32), {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});

export type Condition = SchemaOutput<typeof condition>;

/** Conditions of a CRD with the meaning and all reasons of each. Docs and tests read it; controllers take reasons from it. */
export type ConditionCatalogue = Readonly<Record<string, ConditionEntry>>;

interface ConditionEntry {
  /** Meaning of status True. */
  meaning: string;
  /** Maps a reason to a sentence: the state and, if an operator must act, the next action. */
  reasons: Readonly<Record<string, string>>;
}

export type ReasonOf<C extends ConditionCatalogue, T extends keyof C = keyof C> = T extends keyof C
  ? keyof C[T]['reasons'] & string
  : never;

type Reasons<C extends ConditionCatalogue> = { readonly [R in ReasonOf<C>]: R };

/** Keeps the literal types, so that a misspelt reason is a compile error. */
export function defineConditions<const C extends ConditionCatalogue>(catalogue: C): C {
  return catalogue;
}

/** Reasons as constants: `reasons.NoHostAvailable === 'NoHostAvailable'`. */
export function conditionReasons<const C extends ConditionCatalogue>(catalogue: C): Reasons<C> {
  const reasons = Object.values(catalogue).flatMap(entry => Object.keys(entry.reasons));
  return Object.fromEntries(reasons.map(reason => [reason, reason])) as Reasons<C>;
}
