import { isObject, type JsonObject } from '../store/json.ts';
import { fieldSchema, metadataSchema, type Schema } from './schema.ts';

/** Removes, in place, every field that the schema does not declare, and returns their paths. */
export function prune(object: JsonObject, schema: Schema): string[] {
  const root: Schema = {
    ...schema,
    properties: { ...schema.properties, apiVersion: {}, kind: {}, metadata: metadataSchema },
  };
  return pruneObject(object, root, '').sort();
}

function pruneObject(object: JsonObject, schema: Schema, path: string): string[] {
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const dropped: string[] = [];
  for (const [field, value] of Object.entries(object)) {
    const at = path ? `${path}.${field}` : field;
    const known = fieldSchema(schema, field);
    if (known) dropped.push(...pruneValue(value, known, at));
    else if (!keeps) {
      delete object[field];
      dropped.push(at);
    }
  }
  return dropped;
}

function pruneValue(value: unknown, schema: Schema, path: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => pruneValue(item, items, `${path}[${index}]`)) : [];
  }
  if (!isObject(value)) return [];
  if (schema['x-kubernetes-embedded-resource']) return pruneEmbedded(value, schema, path);
  return pruneObject(value, schema, path);
}

/** An embedded object always has its type and metadata, declared or not. */
const pruneEmbedded = (value: JsonObject, schema: Schema, path: string): string[] =>
  pruneObject(
    value,
    { ...schema, properties: { ...schema.properties, apiVersion: {}, kind: {}, metadata: metadataSchema } },
    path,
  );
