import type { z } from 'zod';
import { isRecord, shapeOf } from './schema-shape.ts';

/** One place in an object: its schema, its value now, and its value before the change if there was one. */
export interface Place {
  schema: z.ZodType;
  value: unknown;
  old: unknown;
  path: string;
}

/** Calls `see` for a value and for everything in it that the schema knows, parents first. Absent values are not visited. */
export function visit(place: Place, see: (place: Place) => void): void {
  if (place.value === undefined) return;
  see(place);
  for (const inner of placesIn(place)) visit(inner, see);
}

function placesIn({ schema, value, old, path }: Place): readonly Place[] {
  const shape = shapeOf(schema);
  if (shape.form === 'list' && Array.isArray(value)) {
    // Elements have no partner before the change: the API server pairs only list-maps, and no rule of ours needs it.
    return value.map((item, index) => ({
      schema: shape.element,
      value: item,
      old: undefined,
      path: `${path}[${index}]`,
    }));
  }
  if (!isRecord(value)) return [];
  const before = isRecord(old) ? old : {};
  const child = (name: string, inner: z.ZodType): Place => {
    return { schema: inner, value: value[name], old: before[name], path: path === '' ? name : `${path}.${name}` };
  };
  if (shape.form === 'object') return Object.entries(shape.fields).map(([name, inner]) => child(name, inner));
  if (shape.form === 'map') return Object.keys(value).map(name => child(name, shape.value));
  return [];
}
