/** What a kind's conditions mean and every reason each may carry, with a sentence. Docs and tests read it; controllers take reasons from it. */
export type ConditionCatalogue = Readonly<Record<string, ConditionEntry>>;

export interface ConditionEntry {
  /** What it says when it is True. */
  meaning: string;
  /** Reason to sentence: what happened and, where someone must act, what to do. */
  reasons: Readonly<Record<string, string>>;
}

export type ReasonOf<C extends ConditionCatalogue, T extends keyof C = keyof C> = T extends keyof C
  ? keyof C[T]['reasons'] & string
  : never;

export type Reasons<C extends ConditionCatalogue> = { readonly [R in ReasonOf<C>]: R };
export type ConditionTypes<C extends ConditionCatalogue> = { readonly [T in keyof C & string]: T };

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
