import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../object.ts';

export { copyOf } from '../../copy.ts';

export type JsonObject = Record<string, unknown>;

/** An object as the store keeps it: never changed in place, always replaced. */
export interface StoredObject extends KubeObject {
  [field: string]: unknown;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object in a field, or an empty one that is not attached to the parent. */
export const objectIn = (parent: JsonObject, field: string): JsonObject => {
  const value = parent[field];
  return isObject(value) ? value : {};
};

export const same = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one, other);

/** The value at a dotted path, or undefined where the path breaks off. */
export const valueAt = (object: JsonObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (isObject(value) ? value[field] : undefined), object);

export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}
