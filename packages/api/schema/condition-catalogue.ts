import { z } from 'zod';
import { kubernetes, time } from './kubernetes.ts';
import type { Output } from './output.ts';

/** metav1.Condition, with the bounds Kubernetes gives its own. */
const condition = z.object({
  type: z.string().min(1).max(316).describe('Name of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().min(1).max(1024).describe('One word in CamelCase for why; a stable part of the API.'),
  message: z.string().max(32768).describe('A sentence for people: what holds, or what is waited for and what to do.'),
  lastTransitionTime: time.describe('When status last changed.'),
  observedGeneration: z.int().min(0).optional().describe('metadata.generation this condition was computed from.'),
});

/** A list keyed by type, so that two writers can each own their conditions. */
export const conditions = kubernetes(z.array(condition).max(32), {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});

export type Condition = Output<typeof condition>;

/** What a kind's conditions mean and every reason each may carry, with a sentence. Docs and tests read it; controllers take reasons from it. */
export type ConditionCatalogue = Readonly<Record<string, ConditionEntry>>;

interface ConditionEntry {
  /** What it says when it is True. */
  meaning: string;
  /** Reason to sentence: what happened and, where someone must act, what to do. */
  reasons: Readonly<Record<string, string>>;
}

export type ReasonOf<C extends ConditionCatalogue, T extends keyof C = keyof C> = T extends keyof C
  ? keyof C[T]['reasons'] & string
  : never;

type Reasons<C extends ConditionCatalogue> = { readonly [R in ReasonOf<C>]: R };
type ConditionTypes<C extends ConditionCatalogue> = { readonly [T in keyof C & string]: T };

/** Keeps the literal types, so that a misspelt reason is a compile error. */
export function defineConditions<const C extends ConditionCatalogue>(catalogue: C): C {
  return catalogue;
}

/** Condition names as constants: `types.HostClaimed === 'HostClaimed'`. */
export function conditionTypes<const C extends ConditionCatalogue>(catalogue: C): ConditionTypes<C> {
  return constants(Object.keys(catalogue)) as ConditionTypes<C>;
}

/** Reasons as constants: `reasons.NoHostAvailable === 'NoHostAvailable'`. */
export function conditionReasons<const C extends ConditionCatalogue>(catalogue: C): Reasons<C> {
  return constants(Object.values(catalogue).flatMap(entry => Object.keys(entry.reasons))) as Reasons<C>;
}

function constants(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, name]));
}
