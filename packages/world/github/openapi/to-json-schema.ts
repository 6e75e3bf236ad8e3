type Schema = Readonly<Record<string, unknown>>;

/**
 * OpenAPI 3.0 is almost JSON Schema: `nullable` becomes a type, and references are given the names under which the
 * schemas are added to the validator. What only documents (examples, vendor extensions) goes.
 */
export function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...schema } = value as Schema;
  const reference = schema['$ref'];
  const converted =
    typeof reference === 'string' ? { $ref: referenceName(reference) } : convertKeywords(schema, nullable === true);
  return nullable === true && !('type' in schema) ? { anyOf: [converted, { type: 'null' }] } : converted;
}

/** `#/components/schemas/runner` → `runner`. */
export const referenceName = (reference: string): string => reference.replace('#/components/schemas/', '');

const DOCUMENTATION = new Set(['example', 'examples', 'externalDocs', 'deprecated', 'discriminator', 'title']);

function convertKeywords(schema: Schema, nullable: boolean): Record<string, unknown> {
  const converted: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DOCUMENTATION.has(keyword) || keyword.startsWith('x-')) continue;
    // A property may bear the name of a keyword, so the members of `properties` are not looked at as keywords.
    converted[keyword] = keyword === 'properties' ? convertEach(value as Schema) : toJsonSchema(value);
  }
  if (!nullable) return converted;
  if (typeof schema['type'] === 'string') converted['type'] = [schema['type'], 'null'];
  if (Array.isArray(schema['enum'])) converted['enum'] = [...new Set([...(schema['enum'] as unknown[]), null])];
  return converted;
}

const convertEach = (properties: Schema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toJsonSchema(property)]));
