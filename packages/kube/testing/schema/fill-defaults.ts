import { copyOf, isObject, type JsonObject } from '../store/json.ts';
import type { Schema } from './schema.ts';

/** Writes the defaults of a schema into an object, in place. A null where null is not allowed counts as absent. */
export function fillDefaults(object: JsonObject, schema: Schema): void {
  for (const [field, known] of Object.entries(schema.properties ?? {})) fillField(object, field, known);
  const { additionalProperties } = schema;
  if (typeof additionalProperties !== 'object') return;
  for (const field of Object.keys(object)) {
    if (!schema.properties?.[field]) fillField(object, field, additionalProperties);
  }
}

function fillField(object: JsonObject, field: string, schema: Schema): void {
  if (object[field] === null && !schema.nullable) delete object[field];
  if (object[field] === undefined && schema.default !== undefined) object[field] = copyOf(schema.default);
  fillValue(object[field], schema);
}

function fillValue(value: unknown, schema: Schema): void {
  if (isObject(value)) fillDefaults(value, schema);
  if (!Array.isArray(value) || !schema.items) return;
  for (const item of value) fillValue(item, schema.items);
}
