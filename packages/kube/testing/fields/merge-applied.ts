import { fieldSchema, isAtomicMap, listTypeOf, type Schema } from '../schema/schema.ts';
import { isObject, type JsonObject } from '../store/json.ts';
import { itemElement } from './fields-of.ts';

/** The live value with everything the configuration says written over it; what it does not say stays. */
export function mergeApplied(live: unknown, config: unknown, schema: Schema | undefined): unknown {
  if (isObject(live) && isObject(config) && !isAtomicMap(schema)) return mergeObjects(live, config, schema);
  if (Array.isArray(live) && Array.isArray(config) && listTypeOf(schema) !== 'atomic') {
    return mergeItems(live, config, schema);
  }
  return config;
}

function mergeObjects(live: JsonObject, config: JsonObject, schema: Schema | undefined): JsonObject {
  const merged = { ...live };
  for (const [field, value] of Object.entries(config)) {
    if (value !== undefined) merged[field] = mergeApplied(live[field], value, fieldSchema(schema, field));
  }
  return merged;
}

function mergeItems(live: unknown[], config: unknown[], schema: Schema | undefined): unknown[] {
  const items = new Map(live.map(item => [itemElement(item, schema), item]));
  for (const item of config) {
    const element = itemElement(item, schema);
    items.set(element, items.has(element) ? mergeApplied(items.get(element), item, schema?.items) : item);
  }
  return [...items.values()];
}
