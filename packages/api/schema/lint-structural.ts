import type { OpenApi } from './open-api.ts';

type Check = (schema: OpenApi, path: string) => readonly string[];

/**
 * Finds what the API server would reject in a CRD, and what it accepts but is bad for users
 * (no description, no bound on what a CEL rule may have to read). Returns sentences; none means clean.
 */
export function lintStructural(schema: OpenApi, path = ''): readonly string[] {
  const here = checks.flatMap(check => check(schema, path === '' ? '(root)' : path));
  return [...here, ...childrenOf(schema, path).flatMap(([name, child]) => lintStructural(child, name))];
}

function childrenOf(schema: OpenApi, path: string): readonly (readonly [string, OpenApi])[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const fields = Object.entries(schema.properties ?? {}).map(([name, child]) => [at(name), child] as const);
  const items = schema.items === undefined ? [] : [[`${path}[]`, schema.items] as const];
  const values =
    typeof schema.additionalProperties === 'object' ? [[at('*'), schema.additionalProperties] as const] : [];
  return [...fields, ...items, ...values];
}

const forbidden: Readonly<Record<string, string>> = {
  const: 'write an enum with one value',
  $ref: 'recursive schemas cannot be structural: write the levels out',
  oneOf: 'use optional members and a rule',
  allOf: 'merge the schemas',
  not: 'write a rule',
  propertyNames: 'write a rule on the map',
  uniqueItems: 'use x-kubernetes-list-type: set',
  $schema: 'the cleaner must drop it',
  definitions: 'inline it',
};

const refuseForbidden: Check = (schema, path) => {
  return Object.entries(forbidden).flatMap(([key, instead]) =>
    key in schema ? [`${path}: ${key} is not allowed: ${instead}`] : [],
  );
};

const requireType: Check = (schema, path) => {
  if (Array.isArray(schema.type)) return [`${path}: type is a list: choose one`];
  const typeless =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return schema.type === undefined && !typeless ? [`${path}: has no type`] : [];
};

const refuseUnions: Check = (schema, path) => {
  if (schema.anyOf === undefined || schema['x-kubernetes-int-or-string'] === true) return [];
  return [`${path}: anyOf is not allowed: use optional members and a rule`];
};

const refuseNumericBounds: Check = (schema, path) => {
  return ['exclusiveMinimum', 'exclusiveMaximum'].flatMap(key => {
    return typeof schema[key] === 'number' ? [`${path}: ${key} must be true or false beside a bound`] : [];
  });
};

const refuseClosedObjects: Check = (schema, path) => {
  if (typeof schema.additionalProperties === 'boolean') return [`${path}: additionalProperties must be a schema`];
  const both = schema.additionalProperties !== undefined && schema.properties !== undefined;
  return both ? [`${path}: properties and additionalProperties exclude each other`] : [];
};

const requireListType: Check = (schema, path) => {
  if (schema.type !== 'array') return [];
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return [`${path}: an array needs x-kubernetes-list-type`];
  return listType === 'map' ? mapKeyProblems(schema, path) : [];
};

function mapKeyProblems(schema: OpenApi, path: string): readonly string[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (!Array.isArray(keys) || keys.length === 0)
    return [`${path}: a list of type map needs x-kubernetes-list-map-keys`];
  const missing = keys.map(String).filter(key => {
    return !schema.items?.required?.includes(key) && schema.items?.properties?.[key]?.default === undefined;
  });
  return missing.map(key => `${path}: the list key ${key} must be required or have a default`);
}

const requireBounds: Check = (schema, path) => {
  const bounded = schema['enum'] !== undefined || schema['format'] !== undefined || schema['maxLength'] !== undefined;
  if (schema.type === 'string' && !bounded) return [`${path}: a string needs maxLength, or CEL rules cost too much`];
  if (schema.type === 'array' && schema['maxItems'] === undefined) return [`${path}: an array needs maxItems`];
  const unboundedMap = typeof schema.additionalProperties === 'object' && schema['maxProperties'] === undefined;
  return unboundedMap ? [`${path}: a map needs maxProperties`] : [];
};

const requireDescriptions: Check = (schema, path) => {
  const silent = Object.entries(schema.properties ?? {}).filter(([, child]) => !child.description);
  return silent.map(([name]) => `${path}: field ${name} has no description for kubectl explain`);
};

// RE2 knows neither look-around nor back-references, in OpenAPI patterns and in CEL alike.
const notRe2 = /\(\?[=!]|\(\?<[=!]|\\[1-9]|\\k</;

const requireRe2: Check = (schema, path) => {
  const patterns = [schema['pattern'], ...rulesOf(schema)].filter(one => typeof one === 'string');
  return patterns
    .filter(one => notRe2.test(one))
    .map(one => `${path}: ${one} is not RE2 (look-around or back-reference)`);
};

// Fields with these names exist for CEL only as __name__. The API server reports the bare name as a cost overrun, which misleads.
const reserved =
  /\.(as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)\b/;

const requireEscapedNames: Check = (schema, path) => {
  return rulesOf(schema).flatMap(rule => {
    const name = reserved.exec(rule)?.[1];
    return name === undefined ? [] : [`${path}: ${name} is a reserved word of CEL: write __${name}__`];
  });
};

function rulesOf(schema: OpenApi): readonly string[] {
  const rules = (schema['x-kubernetes-validations'] ?? []) as readonly { rule: string }[];
  return rules.map(({ rule }) => rule);
}

const refuseNullDefault: Check = (schema, path) =>
  schema.default === null ? [`${path}: a default cannot be null`] : [];

const checks: readonly Check[] = [
  refuseForbidden,
  requireType,
  refuseUnions,
  refuseNumericBounds,
  refuseClosedObjects,
  requireListType,
  requireBounds,
  requireDescriptions,
  requireRe2,
  requireEscapedNames,
  refuseNullDefault,
];
