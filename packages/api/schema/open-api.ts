import { z } from 'zod';
import { rulesOn } from './rule.ts';

/** The part of OpenAPI v3 that a structural schema is made of; other keys are kept so that the lint can see them. */
export interface OpenApi {
  [key: string]: unknown;
  type?: string;
  description?: string;
  properties?: Record<string, OpenApi>;
  items?: OpenApi;
  additionalProperties?: OpenApi | boolean;
  anyOf?: OpenApi[];
  required?: string[];
  default?: unknown;
}

/** Turns a schema into what a CRD may hold. `io: 'input'`, because a field with a default need not be written. */
export function toOpenApi(schema: z.ZodType): OpenApi {
  const raw = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const rules = rulesOn(zodSchema);
      if (rules.length === 0) return;
      jsonSchema['x-kubernetes-validations'] = rules.map(({ cel, message }) => ({ rule: cel, message }));
    },
  });
  return clean(raw as OpenApi);
}

const dropped = new Set(['$schema', 'id', 'propertyNames']);

function clean(raw: OpenApi): OpenApi {
  const kept: OpenApi = Object.fromEntries(Object.entries(raw).filter(([key]) => !dropped.has(key)));
  if (kept['x-kubernetes-int-or-string'] === true) return intOrString(kept);
  if (kept['x-kubernetes-preserve-unknown-fields'] === true) {
    delete kept.properties;
    delete kept.additionalProperties;
  }
  // zod writes its own pattern beside the format, which the API server already checks.
  if (kept['format'] === 'date-time') delete kept['pattern'];
  // zod limits every integer to the safe range of a double; in a CRD these limits are noise.
  if (kept['minimum'] === Number.MIN_SAFE_INTEGER) delete kept['minimum'];
  if (kept['maximum'] === Number.MAX_SAFE_INTEGER) delete kept['maximum'];
  return cleanChildren(kept);
}

function cleanChildren(kept: OpenApi): OpenApi {
  if (kept.items !== undefined) kept.items = clean(kept.items);
  if (typeof kept.additionalProperties === 'object') kept.additionalProperties = clean(kept.additionalProperties);
  if (kept.properties !== undefined) {
    kept.properties = Object.fromEntries(Object.entries(kept.properties).map(([name, one]) => [name, clean(one)]));
  }
  return kept;
}

/** The API server takes int-or-string in exactly one form: two bare types, no bounds, no outer type. */
function intOrString(kept: OpenApi): OpenApi {
  const { type: _type, ...rest } = kept;
  return { ...rest, anyOf: [{ type: 'integer' }, { type: 'string' }] };
}
