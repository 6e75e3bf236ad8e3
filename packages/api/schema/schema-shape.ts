import { z } from 'zod';

/** A schema seen as one of the four forms a Kubernetes object is built from. */
type SchemaForm =
  | { form: 'object'; fields: Readonly<Record<string, z.ZodType>>; open: boolean }
  | { form: 'list'; element: z.ZodType }
  | { form: 'map'; value: z.ZodType }
  | { form: 'leaf' };

const knownLayers = new WeakMap<z.ZodType, readonly z.ZodType[]>();
const knownForms = new WeakMap<z.ZodType, SchemaForm>();

/** The schema inside optional, default and nullable, with each wrapper met on the way, outermost first. */
export function layersOf(schema: z.ZodType): readonly z.ZodType[] {
  const known = knownLayers.get(schema);
  if (known) return known;
  const layers = isWrapper(schema) ? [schema, ...layersOf(schema.unwrap() as z.ZodType)] : [schema];
  knownLayers.set(schema, layers);
  return layers;
}

function isWrapper(schema: z.ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault | z.ZodPrefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || isDefault(schema);
}

function isDefault(schema: z.ZodType): schema is z.ZodDefault | z.ZodPrefault {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
}

/** Kept for each schema: a schema never changes, and each validation of an object asks for the form of every field. */
export function shapeOf(schema: z.ZodType): SchemaForm {
  const known = knownForms.get(schema);
  if (known) return known;
  const form = readForm(schema);
  knownForms.set(schema, form);
  return form;
}

function readForm(schema: z.ZodType): SchemaForm {
  const inner = layersOf(schema).at(-1);
  if (inner instanceof z.ZodObject) {
    return { form: 'object', fields: inner.shape, open: inner.def.catchall !== undefined };
  }
  if (inner instanceof z.ZodArray) return { form: 'list', element: inner.element as z.ZodType };
  if (inner instanceof z.ZodRecord) return { form: 'map', value: inner.valueType as z.ZodType };
  return { form: 'leaf' };
}

export const hasDefault = (schema: z.ZodType): boolean => layersOf(schema).some(isDefault);

/** The default a missing value takes, or undefined. A copy: callers may change what they are given. */
export function defaultOf(schema: z.ZodType): unknown {
  const layer = layersOf(schema).find(isDefault);
  const value = layer?.def.defaultValue;
  return typeof value === 'object' ? structuredClone(value) : value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A position in an object: schema, value, and previous value if there was one. */
export interface SchemaPosition {
  schema: z.ZodType;
  value: unknown;
  old: unknown;
  path: string;
}

/** Calls `see` for a value and its descendants in the schema, parents first. Skips absent values and what `skips` selects. */
export function visit(
  place: SchemaPosition,
  skips: (place: SchemaPosition) => boolean,
  see: (place: SchemaPosition) => void,
): void {
  if (place.value === undefined || skips(place)) return;
  see(place);
  for (const inner of placesIn(place)) visit(inner, skips, see);
}

/**
 * Returns a function that reports whether the property holds for a schema or for one inside it. Most schemas have neither
 * rules nor defaults inside, so a walk that asks first skips most of an object. The answer is kept for each schema.
 */
export function holdsInside(property: (schema: z.ZodType) => boolean): (schema: z.ZodType) => boolean {
  const known = new WeakMap<z.ZodType, boolean>();
  return function holds(schema) {
    const found = known.get(schema) ?? (property(schema) || schemasIn(schema).some(holds));
    known.set(schema, found);
    return found;
  };
}

function schemasIn(schema: z.ZodType): readonly z.ZodType[] {
  const shape = shapeOf(schema);
  if (shape.form === 'object') return Object.values(shape.fields);
  if (shape.form === 'list') return [shape.element];
  return shape.form === 'map' ? [shape.value] : [];
}

function placesIn({ schema, value, old, path }: SchemaPosition): readonly SchemaPosition[] {
  const shape = shapeOf(schema);
  if (shape.form === 'list' && Array.isArray(value)) {
    // Elements have no previous value: the API server correlates only list-maps, and no Minifleet rule needs it.
    return value.map((item, index) => ({
      schema: shape.element,
      value: item,
      old: undefined,
      path: `${path}[${index}]`,
    }));
  }
  if (!isRecord(value)) return [];
  const before = isRecord(old) ? old : {};
  const child = (name: string, inner: z.ZodType): SchemaPosition => {
    return { schema: inner, value: value[name], old: before[name], path: path === '' ? name : `${path}.${name}` };
  };
  if (shape.form === 'object') return Object.entries(shape.fields).map(([name, inner]) => child(name, inner));
  if (shape.form === 'map') return Object.keys(value).map(name => child(name, shape.value));
  return [];
}
