import { z } from 'zod';
import type { SchemaOutput } from './schema-output.ts';

/** Rule for one value, as CEL for the API server and as TypeScript. Its examples prove that both agree. */
interface ValueRule<T> {
  cel: string;
  /** Says what to write instead; the API server shows it unchanged. */
  message: string;
  check: (self: T) => boolean;
  accepts: readonly unknown[];
  rejects: readonly unknown[];
}

/** Rule for a transition; evaluated only if the value exists before and after. */
interface ChangeRule<T> {
  cel: string;
  message: string;
  checkChange: (self: T, old: T) => boolean;
  accepts: readonly RuleTransition[];
  rejects: readonly RuleTransition[];
}

export interface RuleTransition {
  from: unknown;
  to: unknown;
}

export type ValidationRule<T> = ValueRule<T> | ChangeRule<T>;

/** A rule with an unknown value type, as found in a walk over a schema. */
export type AnyRule = ValidationRule<never>;

const attached = z.registry<{ rules: readonly AnyRule[] }>();

/** Attaches rules to a schema. Copies made later by `.describe()` or `.meta()` keep them: a zod registry follows a copy to its parent. */
export function withRules<S extends z.ZodType>(schema: S, rules: readonly ValidationRule<SchemaOutput<S>>[]): S {
  const copy = schema.meta({ ...schema.meta() });
  attached.add(copy, { rules: [...rulesOn(schema), ...rules] });
  return copy;
}

/** The rules attached to exactly this schema, not to what it wraps. */
export function rulesOn(schema: z.core.$ZodType): readonly AnyRule[] {
  return attached.get(schema)?.rules ?? [];
}

export function isChangeRule<T>(rule: ValidationRule<T>): rule is ChangeRule<T> {
  return 'checkChange' in rule;
}

/** Rule for a string that must match a pattern. CEL uses RE2, so the pattern must be valid in RE2 and JavaScript. */
export function matching(pattern: RegExp, rest: Omit<ValueRule<string>, 'cel' | 'check'>): ValueRule<string> {
  return { ...rest, cel: `self.matches(${celPattern(pattern)})`, check: self => pattern.test(self) };
}

/** A pattern as a raw CEL string, so that its backslashes stay single. */
export function celPattern(pattern: RegExp): string {
  return `r'${pattern.source.replaceAll('\\/', '/')}'`;
}
