import type { z } from 'zod';
import type { Kind } from '../schema/define-kind.ts';
import { type AnyRule, rulesOn } from '../schema/rule.ts';
import { isRecord, layersOf, shapeOf } from '../schema/schema-shape.ts';

/** A rule and where in the object it stands. */
export interface PlacedRule {
  path: readonly string[];
  rule: AnyRule;
}

/** Every rule of a kind. Lists and maps are walked too, so that a rule put there shows up (with `*`) instead of going untested. */
export function rulesIn(schema: z.ZodType, path: readonly string[] = []): readonly PlacedRule[] {
  const here = layersOf(schema)
    .flatMap(rulesOn)
    .map(rule => ({ path, rule }));
  const shape = shapeOf(schema);
  switch (shape.form) {
    case 'object':
      return [...here, ...Object.entries(shape.fields).flatMap(([name, field]) => rulesIn(field, [...path, name]))];
    case 'list':
      return [...here, ...rulesIn(shape.element, [...path, '*'])];
    case 'map':
      return [...here, ...rulesIn(shape.value, [...path, '*'])];
    case 'leaf':
      return here;
  }
}

/** The example of a kind as a whole object, with one value in it replaced; undefined removes it. */
export function exampleWith(kind: Kind, path: readonly string[], value: unknown): Record<string, unknown> {
  const whole = { apiVersion: kind.apiVersion, kind: kind.resource.kind, ...structuredClone(kind.example) };
  if (path.length === 0) return { ...whole, ...(value as Record<string, unknown>) };
  return replaceAt(whole, path, value);
}

function replaceAt(object: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  if (rest.length > 0) {
    const inner = object[name];
    return { ...object, [name]: replaceAt(isRecord(inner) ? inner : {}, rest, value) };
  }
  const { [name]: _old, ...others } = object;
  return value === undefined ? others : { ...others, [name]: value };
}
