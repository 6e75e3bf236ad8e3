import type { z } from 'zod';
import { defaultOf, hasDefault, holdsInside, isRecord, shapeOf } from './schema-shape.ts';

const hasDefaultInside = holdsInside(hasDefault);

/**
 * Fills defaults as the API server does: a missing field takes its default when its parent exists.
 * Does not change the value, and shares the parts without defaults with it; fields the schema does not know stay where they are.
 */
export function fillDefaults(schema: z.ZodType, value: unknown): unknown {
  if (!hasDefaultInside(schema)) return value;
  const present = value === undefined ? defaultOf(schema) : value;
  const shape = shapeOf(schema);
  if (shape.form === 'list' && Array.isArray(present)) return present.map(item => fillDefaults(shape.element, item));
  if (!isRecord(present)) return present;
  if (shape.form === 'map') {
    return Object.fromEntries(Object.entries(present).map(([name, item]) => [name, fillDefaults(shape.value, item)]));
  }
  return shape.form === 'object' ? fillFields(shape.fields, present) : present;
}

function fillFields(
  fields: Readonly<Record<string, z.ZodType>>,
  value: Record<string, unknown>,
): Record<string, unknown> {
  const filled = { ...value };
  for (const [name, schema] of Object.entries(fields)) {
    const field = fillDefaults(schema, value[name]);
    if (field !== undefined) filled[name] = field;
  }
  return filled;
}
