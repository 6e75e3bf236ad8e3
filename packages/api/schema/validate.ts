import type { z } from 'zod';
import { fillDefaults } from './defaults.ts';
import { problemFrom, type ValidationProblem } from './problem.ts';
import { type AnyRule, isChangeRule, rulesOn, type ValidationRule } from './rule.ts';
import { holdsInside, isRecord, layersOf, type SchemaPosition, shapeOf, visit } from './schema-shape.ts';

export type ValidationResult =
  | { ok: true; problems: readonly [] }
  | { ok: false; problems: readonly ValidationProblem[] };

/**
 * Validates like the API server: first the structure, then the rules on the object with defaults.
 * Like the API server, it skips the rules if the structure is invalid, so that one mistake gives one message.
 */
export function validate(schema: z.ZodType, object: unknown, old?: unknown): ValidationResult {
  const value = fillDefaults(schema, object);
  const parsed = schema.safeParse(value);
  const misshapen = parsed.success ? [] : parsed.error.issues.map(issue => problemFrom(issue, value));
  const start: SchemaPosition = {
    schema,
    value,
    old: old === undefined ? undefined : fillDefaults(schema, old),
    path: '',
  };
  const problems = [...misshapen, ...unknownFields(start)];
  const broken = misshapen.length === 0 ? brokenRules(start) : [];
  return verdict([...problems, ...broken]);
}

function verdict(problems: readonly ValidationProblem[]): ValidationResult {
  return problems.length === 0 ? { ok: true, problems: [] } : { ok: false, problems };
}

/**
 * The API server prunes unknown fields silently unless validation is strict, so a misspelt field has no effect.
 * Status is exempt: users do not write it, and objects of the previous system have fields there that are dropped.
 */
function unknownFields(start: SchemaPosition): readonly ValidationProblem[] {
  const found: ValidationProblem[] = [];
  const isStatus = ({ path }: SchemaPosition): boolean => path === 'status';
  visit(start, isStatus, ({ schema, value, path }) => {
    const shape = shapeOf(schema);
    if (shape.form !== 'object' || shape.open || !isRecord(value)) return;
    for (const name of Object.keys(value).filter(one => !Object.hasOwn(shape.fields, one))) {
      const meant = nearestName(name, Object.keys(shape.fields));
      found.push(unknownField(path === '' ? name : `${path}.${name}`, meant));
    }
  });
  return found;
}

function unknownField(path: string, meant: string | undefined): ValidationProblem {
  const hint = meant === undefined ? 'remove it' : `did you mean ${meant}?`;
  return { path, message: `unknown field ${path}: ${hint}` };
}

function brokenRules(start: SchemaPosition): readonly ValidationProblem[] {
  const found: ValidationProblem[] = [];
  visit(start, hasNoRules, place => {
    for (const rule of rulesOf(place.schema)) {
      if (!holds(rule, place)) found.push({ path: place.path, message: rule.message });
    }
  });
  return found;
}

const knownRules = new WeakMap<z.ZodType, readonly AnyRule[]>();

/** The rules on the schema and on its wrappers. Kept for each schema: the registry merges the metadata of all parents at each call. */
function rulesOf(schema: z.ZodType): readonly AnyRule[] {
  const known = knownRules.get(schema);
  if (known) return known;
  const rules = layersOf(schema).flatMap(rulesOn);
  knownRules.set(schema, rules);
  return rules;
}

const hasRulesInside = holdsInside(schema => rulesOf(schema).length > 0);
const hasNoRules = ({ schema }: SchemaPosition): boolean => !hasRulesInside(schema);

function holds(anyRule: AnyRule, { value, old }: SchemaPosition): boolean {
  // The schema accepted this value, so it has the type the rule was written for.
  const rule = anyRule as ValidationRule<unknown>;
  if (!isChangeRule(rule)) return rule.check(value);
  return old === undefined || rule.checkChange(value, old);
}

/** Field name that the user most likely meant; undefined if none is similar. */
function nearestName(written: string, known: readonly string[]): string | undefined {
  const close = known
    .map(name => ({ name, distance: editDistance(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 4)))
    .sort((a, b) => a.distance - b.distance);
  return close[0]?.name;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
