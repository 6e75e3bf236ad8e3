import type { Kind } from '@minifleet/api';
import type { JsonSchema } from './value.ts';

/** Fields below a path of a CRD, so that the chart rejects what the API server would reject later. */
export function schemaIn(kind: Pick<Kind, 'crd'>, ...path: readonly string[]): Readonly<Record<string, JsonSchema>> {
  const root = kind.crd().spec.versions[0]?.schema.openAPIV3Schema as JsonSchema;
  const below = path.reduce<JsonSchema>((schema, name) => propertiesOf(schema)[name] ?? {}, root);
  return propertiesOf(below);
}

const propertiesOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;

/** Drops keywords that only the API server understands, and defaults, which it sets itself. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([key]) => !key.startsWith('x-kubernetes-') && key !== 'default' && key !== 'required',
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? mapped(value as Record<string, JsonSchema>) : value]),
  );
}

const mapped = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainSchema(schema)]));
