import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Description } from './description.ts';
import { toJsonSchema } from './to-json-schema.ts';

/** Says what is wrong with a value, in one line per fault; nothing when it is as described. */
export type Validate = (value: unknown) => readonly string[];

/** Compiles schemas of the description. Components are added when the first schema refers to them, for there are thousands. */
export interface Validator {
  /** For bodies. */
  compile(schema: unknown): Validate;
  /** For parameters: their values are text and are read as what they should be. */
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
