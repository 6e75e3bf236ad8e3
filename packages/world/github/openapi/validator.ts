import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Description } from './description.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Converts OpenAPI 3.0 to JSON Schema: `nullable` becomes a type, and references get the names under which the schemas
 * are added to the validator. Documentation (examples, vendor extensions) is dropped.
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
    // A property may have the name of a keyword, so the members of `properties` are not converted as keywords.
    converted[keyword] = keyword === 'properties' ? convertEach(value as Schema) : toJsonSchema(value);
  }
  if (!nullable) return converted;
  if (typeof schema['type'] === 'string') converted['type'] = [schema['type'], 'null'];
  if (Array.isArray(schema['enum'])) converted['enum'] = [...new Set([...(schema['enum'] as unknown[]), null])];
  return converted;
}

const convertEach = (properties: Schema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toJsonSchema(property)]));

/** Returns one line for each fault of a value; empty if it is valid. */
export type Validate = (value: unknown) => readonly string[];

/** Compiles schemas of the description. Components are added on first reference, because there are thousands. */
export interface Validator {
  /** For bodies. */
  compile(schema: unknown): Validate;
  /** For parameters: their text values are converted to the expected type. */
  compileParameter(schema: unknown): Validate;
}

export function createValidator(description: Description): Validator {
  const strictly = createAjv(description, false);
  const leniently = createAjv(description, true);
  return {
    compile: schema => explain(strictly(schema)),
    compileParameter(schema) {
      const validate = explain(leniently({ type: 'object', properties: { value: schema as Record<string, unknown> } }));
      return value => validate({ value });
    },
  };
}

function createAjv(description: Description, coerceTypes: boolean): (schema: unknown) => ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes });
  formats.default(ajv);
  const added = new Set<string>();
  const addReferred = (schema: unknown): void => {
    for (const name of references(schema)) {
      if (added.has(name)) continue;
      added.add(name);
      const component = toJsonSchema(description.components.schemas[name]);
      ajv.addSchema(component as Record<string, unknown>, name);
      addReferred(component);
    }
  };
  return schema => {
    const converted = toJsonSchema(schema);
    addReferred(converted);
    return ajv.compile(converted as Record<string, unknown>);
  };
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  const { $ref, ...rest } = value as Record<string, unknown>;
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(rest).flatMap(references)];
}

const explain =
  (validate: ValidateFunction): Validate =>
  value => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const allowed: unknown = params['allowedValues'];
      return `${instancePath || '/'} ${message}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`;
    });
  };
