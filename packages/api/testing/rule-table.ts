import type { z } from 'zod';
import type { Kind } from '../schema/define-kind.ts';
import { type AnyRule, type RuleTransition, rulesOn } from '../schema/rule.ts';
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
  return withValue(kind, exampleFor(kind, path, value), { path, value });
}

/** An object before and after a change of one value. */
export function changedExample(kind: Kind, path: readonly string[], { from, to }: RuleTransition) {
  const example = exampleFor(kind, path, from);
  return {
    before: withValue(kind, example, { path, value: from }),
    after: withValue(kind, example, { path, value: to }),
  };
}

/** The first example that is valid with the value, or that has at least the parent of the value. */
function exampleFor(kind: Kind, path: readonly string[], value: unknown): Kind['example'] {
  const examples = [kind.example, ...kind.otherExamples].filter(one => valueAt(one, path.slice(0, -1)) !== undefined);
  const valid = examples.find(one => kind.validate(withValue(kind, one, { path, value })).ok);
  return valid ?? examples[0] ?? kind.example;
}

function withValue(
  kind: Kind,
  example: Kind['example'],
  { path, value }: { readonly path: readonly string[]; readonly value: unknown },
): Record<string, unknown> {
  const whole = { apiVersion: kind.apiVersion, kind: kind.resource.kind, ...structuredClone(example) };
  if (path.length === 0) return { ...whole, ...(value as Record<string, unknown>) };
  return replaceAt(whole, path, value);
}

const valueAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), object);

function replaceAt(object: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  if (rest.length > 0) {
    const inner = object[name];
    return { ...object, [name]: replaceAt(isRecord(inner) ? inner : {}, rest, value) };
  }
  const { [name]: _old, ...others } = object;
  return value === undefined ? others : { ...others, [name]: value };
}
