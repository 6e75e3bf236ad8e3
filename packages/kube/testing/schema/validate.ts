import type { Problem } from '../server/refusal.ts';
import { isObject, type JsonObject, same } from '../store/json.ts';
import { problem } from './problem.ts';
import { numberProblems, stringProblems } from './scalar-problems.ts';
import { fieldSchema, isAtomicMap, listTypeOf, mapKeysOf, type Schema } from './schema.ts';
import { typeOf, typeProblems } from './type-problem.ts';

interface SchemaLocation {
  readonly path: string;
  /** The value before an update. Unchanged fields are not validated again, as in Kubernetes 1.33 and later. */
  readonly before?: unknown;
}

/** Lists the schema violations of a value. CEL rules (x-kubernetes-validations) are not evaluated. */
export function validate(value: unknown, schema: Schema, place: SchemaLocation): Problem[] {
  if (place.before !== undefined && same(value, place.before)) return [];
  const wrongType = typeProblems(value, schema, place.path);
  if (wrongType.length > 0) return [...wrongType, ...enumProblems(value, schema, place.path)];
  if (value === null) return [];
  return [
    ...enumProblems(value, schema, place.path),
    ...stringProblems(value, schema, place.path),
    ...numberProblems(value, schema, place.path),
    ...listProblems(value, schema, place),
    ...objectProblems(value, schema, place),
    ...combinationProblems(value, schema, place),
  ];
}

function enumProblems(value: unknown, schema: Schema, path: string): Problem[] {
  if (!schema.enum || schema.enum.some(allowed => same(allowed, value))) return [];
  const supported = schema.enum.map(allowed => JSON.stringify(allowed)).join(', ');
  return [problem('NotSupported', path, `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`)];
}

function listProblems(value: unknown, schema: Schema, { path, before }: SchemaLocation): Problem[] {
  if (!Array.isArray(value)) return [];
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const problems: Problem[] = [];
  if (value.length < minItems) {
    problems.push(
      problem(
        'Invalid',
        path,
        `Invalid value: ${value.length}: ${path} in body should have at least ${minItems} items`,
      ),
    );
  }
  if (value.length > maxItems) {
    problems.push(problem('TooMany', path, `Too many: ${value.length}: must have at most ${maxItems} items`));
  }
  if (items) {
    const earlier = (item: unknown): unknown => counterpart(item, schema, before);
    problems.push(
      ...value.flatMap((item, index) => validate(item, items, { path: `${path}[${index}]`, before: earlier(item) })),
    );
  }
  return [...problems, ...duplicateProblems(value, schema, path)];
}

/** The item of the earlier list with the same keys; items of other lists have no identity. */
function counterpart(item: unknown, schema: Schema, before: unknown): unknown {
  if (listTypeOf(schema) !== 'map' || !Array.isArray(before) || !isObject(item)) return undefined;
  return before.find(other => isObject(other) && same(keysIn(other, schema), keysIn(item, schema)));
}

const keysIn = (item: JsonObject, schema: Schema): JsonObject =>
  Object.fromEntries(mapKeysOf(schema).map(key => [key, item[key]]));

function duplicateProblems(value: unknown[], schema: Schema, path: string): Problem[] {
  const type = listTypeOf(schema);
  if (type === 'atomic') return [];
  const identities = value.map(item => (type === 'map' && isObject(item) ? keysIn(item, schema) : item));
  return identities.flatMap((identity, index) =>
    identities.findIndex(other => same(other, identity)) < index
      ? [problem('Duplicate', `${path}[${index}]`, `Duplicate value: ${JSON.stringify(identity)}`)]
      : [],
  );
}

function objectProblems(value: unknown, schema: Schema, { path, before }: SchemaLocation): Problem[] {
  if (!isObject(value)) return [];
  const problems = sizeProblems(value, schema, path);
  const inside = (field: string): string => (path ? `${path}.${field}` : field);
  for (const field of schema.required ?? []) {
    if (value[field] === undefined) problems.push(problem('Required', inside(field), 'Required value'));
  }
  const earlier = isObject(before) && !isAtomicMap(schema) ? before : {};
  for (const [field, entry] of Object.entries(value)) {
    const known = fieldSchema(schema, field);
    if (known) problems.push(...validate(entry, known, { path: inside(field), before: earlier[field] }));
  }
  return problems;
}

function sizeProblems(value: JsonObject, schema: Schema, path: string): Problem[] {
  const size = Object.keys(value).length;
  if (size > (schema.maxProperties ?? Number.POSITIVE_INFINITY)) {
    return [problem('TooMany', path, `Too many: ${size}: must have at most ${schema.maxProperties} items`)];
  }
  if (size < (schema.minProperties ?? 0)) {
    const rule = `${path} in body should have at least ${schema.minProperties} properties`;
    return [problem('Invalid', path, `Invalid value: ${size}: ${rule}`)];
  }
  return [];
}

function combinationProblems(value: unknown, schema: Schema, { path }: SchemaLocation): Problem[] {
  const fits = (candidate: Schema): boolean => validate(value, candidate, { path }).length === 0;
  const quoted = `Invalid value: ${JSON.stringify(typeof value === 'object' ? typeOf(value) : value)}`;
  const broken = (rule: string): Problem[] => [problem('Invalid', path, `${quoted}: ${path} in body must ${rule}`)];
  const problems = (schema.allOf ?? []).flatMap(candidate => validate(value, candidate, { path }));
  if (schema.anyOf && !schema.anyOf.some(fits)) problems.push(...broken('validate at least one schema (anyOf)'));
  const fitting = schema.oneOf?.filter(fits).length ?? 1;
  if (fitting !== 1) {
    const found = fitting === 0 ? 'Found none valid' : `Found ${fitting} valid alternatives`;
    problems.push(...broken(`validate one and only one schema (oneOf). ${found}`));
  }
  if (schema.not && fits(schema.not)) problems.push(...broken('not validate the schema (not)'));
  return problems;
}
