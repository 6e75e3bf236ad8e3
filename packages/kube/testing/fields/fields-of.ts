import { fieldSchema, isAtomicMap, listTypeOf, mapKeysOf, type Schema } from '../schema/schema.ts';
import { isObject, type JsonObject, same } from '../store/json.ts';
import { type FieldSet, fieldIn } from './field-set.ts';

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
    const id = `f:${field}`;
    collect(owned, { values, id, schema: fieldSchema(schema, field), containers: options.containers });
    if (field === 'metadata' || (options.skipRoots && isObject(value))) values.delete(id);
  }
  return values;
}

const ownedMetadata = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([field]) => !unownedMetadata.includes(field)));

interface Visit {
  readonly values: FieldValues;
  readonly id: string;
  readonly schema: Schema | undefined;
  readonly containers: boolean;
}

function collect(value: unknown, visit: Visit): void {
  const { values, id, schema, containers } = visit;
  if (isObject(value) && !isAtomicMap(schema)) {
    const fields = Object.entries(value).filter(([, entry]) => entry !== undefined);
    if (containers || fields.length === 0) values.set(id, PRESENT);
    for (const [field, entry] of fields) {
      collect(entry, { values, id: fieldIn(id, `f:${field}`), schema: fieldSchema(schema, field), containers });
    }
  } else if (Array.isArray(value) && listTypeOf(schema) !== 'atomic') {
    if (containers || value.length === 0) values.set(id, PRESENT);
    for (const item of value) collectItem(item, visit);
  } else {
    values.set(id, value);
  }
}

function collectItem(item: unknown, { values, id: list, schema: listSchema, containers }: Visit): void {
  const id = fieldIn(list, itemElement(item, listSchema));
  const schema = listSchema?.items;
  if (isObject(item) && !isAtomicMap(schema)) collect(item, { values, id, schema, containers });
  values.set(id, isAtomicMap(schema) ? item : PRESENT);
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
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

export function differenceOf(before: FieldValues, after: FieldValues): Difference {
  const changed = [...after].filter(([id, value]) => !before.has(id) || !same(before.get(id), value));
  const removed = [...before.keys()].filter(id => !after.has(id));
  return { changed: new Set(changed.map(([id]) => id)), removed: new Set(removed) };
}
