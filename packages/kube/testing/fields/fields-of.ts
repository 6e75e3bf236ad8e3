import { fieldSchema, isAtomicMap, listTypeOf, mapKeysOf, type Schema } from '../schema/schema.ts';
import { isObject, type JsonObject, same } from '../store/json.ts';
import { type FieldPath, fieldId } from './field-set.ts';

/** Each field of an object with its value; a container's value is only that it is there. */
export type FieldValues = Map<string, unknown>;

export interface FieldsOfOptions {
  /** Count containers as fields of their own: an update owns a map it has created, an apply only what is in it. */
  readonly containers: boolean;
  /** `spec` and `status` of built-in kinds are always there, so no request creates them. */
  readonly skipRoots: boolean;
  /** Selects top-level fields. Default: all. */
  readonly roots?: (field: string) => boolean;
}

const PRESENT = true;

const unownedMetadata = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
];

export function fieldsOf(object: JsonObject, schema: Schema, options: FieldsOfOptions): FieldValues {
  const values: FieldValues = new Map();
  const { roots = () => true } = options;
  for (const [field, value] of Object.entries(object).filter(([field]) => roots(field))) {
    if (field === 'apiVersion' || field === 'kind' || value === undefined) continue;
    const owned = field === 'metadata' && isObject(value) ? ownedMetadata(value) : value;
    if (field === 'metadata' && same(owned, {})) continue;
    const path = [`f:${field}`];
    collect(owned, { values, path, schema: fieldSchema(schema, field), containers: options.containers });
    if (field === 'metadata' || (options.skipRoots && isObject(value))) values.delete(fieldId(path));
  }
  return values;
}

const ownedMetadata = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([field]) => !unownedMetadata.includes(field)));

interface Visit {
  readonly values: FieldValues;
  readonly path: FieldPath;
  readonly schema: Schema | undefined;
  readonly containers: boolean;
}

function collect(value: unknown, visit: Visit): void {
  const { values, path, schema, containers } = visit;
  const id = fieldId(path);
  if (isObject(value) && !isAtomicMap(schema)) {
    const fields = Object.entries(value).filter(([, entry]) => entry !== undefined);
    if (containers || fields.length === 0) values.set(id, PRESENT);
    for (const [field, entry] of fields) {
      collect(entry, { ...visit, path: [...path, `f:${field}`], schema: fieldSchema(schema, field) });
    }
  } else if (Array.isArray(value) && listTypeOf(schema) !== 'atomic') {
    if (containers || value.length === 0) values.set(id, PRESENT);
    for (const item of value) collectItem(item, visit);
  } else {
    values.set(id, value);
  }
}

function collectItem(item: unknown, visit: Visit): void {
  const path = [...visit.path, itemElement(item, visit.schema)];
  const schema = visit.schema?.items;
  if (isObject(item) && !isAtomicMap(schema)) collect(item, { ...visit, path, schema });
  visit.values.set(fieldId(path), isAtomicMap(schema) ? item : PRESENT);
}

/** Path element that names an item of a non-atomic list: its keys, or the item itself in a set. */
export function itemElement(item: unknown, schema: Schema | undefined): string {
  if (listTypeOf(schema) === 'set' || !isObject(item)) return `v:${JSON.stringify(item)}`;
  const keys = mapKeysOf(schema)
    .filter(key => item[key] !== undefined)
    .sort()
    .map(key => [key, item[key]]);
  return `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

export interface Difference {
  /** Fields that are new or have another value. */
  readonly changed: Set<string>;
  readonly removed: Set<string>;
}

export function differenceOf(before: FieldValues, after: FieldValues): Difference {
  const changed = [...after].filter(([id, value]) => !before.has(id) || !same(before.get(id), value));
  const removed = [...before.keys()].filter(id => !after.has(id));
  return { changed: new Set(changed.map(([id]) => id)), removed: new Set(removed) };
}
