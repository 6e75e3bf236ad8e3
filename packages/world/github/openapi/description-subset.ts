import { referenceName } from './validator.ts';

type DescriptionNode = Readonly<Record<string, unknown>>;

/** Parts of GitHub's OpenAPI description to keep. */
interface SubsetOptions {
  /** Operations in use. A path that the description lacks is an error. */
  readonly operations: readonly { readonly method: string; readonly path: string }[];
  /** Prefix of the webhook names in use. */
  readonly webhooks: string;
}

/**
 * Reduces an OpenAPI description to the given operations and webhooks, with every component they refer to.
 * Examples, descriptions and vendor extensions are dropped, because nothing here validates against them.
 */
export function descriptionSubset(full: DescriptionNode, { operations, webhooks }: SubsetOptions): DescriptionNode {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path } of operations) {
    const operation = member(member(full['paths'], path), method.toLowerCase());
    if (operation === undefined) throw new Error(`${method} ${path}: not in the given OpenAPI description`);
    paths[path] = { ...paths[path], [method.toLowerCase()]: reduceOperation(operation as DescriptionNode) };
  }
  const hooks = Object.entries(full['x-webhooks'] as DescriptionNode)
    .filter(([name]) => name.startsWith(webhooks))
    .map(([name, hook]) => [name, { post: reduceOperation((hook as { post: DescriptionNode }).post) }]);
  const kept = { paths: sortKeys(paths), 'x-webhooks': sortKeys(Object.fromEntries(hooks) as DescriptionNode) };
  return { ...kept, components: componentsOf(kept, full['components'] as DescriptionNode) };
}

const member = (value: unknown, key: string): unknown => (value as DescriptionNode | undefined)?.[key];

function reduceOperation({ parameters, requestBody, responses }: DescriptionNode): DescriptionNode {
  const bodies = Object.entries(responses as DescriptionNode).map(([status, response]) => [
    status,
    reduceMedia(response as DescriptionNode),
  ]);
  return {
    ...(parameters === undefined ? {} : { parameters: (parameters as DescriptionNode[]).map(reduceParameter) }),
    ...(requestBody === undefined ? {} : { requestBody: reduceMedia(requestBody as DescriptionNode) }),
    responses: Object.fromEntries(bodies) as DescriptionNode,
  };
}

function reduceParameter(parameter: DescriptionNode): DescriptionNode {
  if ('$ref' in parameter) return parameter;
  const { name, in: place, required, schema } = parameter;
  return { name, in: place, ...(required === undefined ? {} : { required }), schema: reduceSchema(schema) };
}

function reduceMedia(media: DescriptionNode): DescriptionNode {
  if ('$ref' in media) return media;
  const schema = member(member(media['content'], 'application/json'), 'schema');
  return {
    ...(media['required'] === undefined ? {} : { required: media['required'] }),
    ...(schema === undefined ? {} : { content: { 'application/json': { schema: reduceSchema(schema) } } }),
  };
}

const DOCUMENTATION = new Set(['description', 'example', 'examples', 'externalDocs', 'deprecated', 'title']);

function reduceSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reduceSchema);
  if (typeof value !== 'object' || value === null) return value;
  const reduced: Record<string, unknown> = {};
  for (const [keyword, part] of Object.entries(value)) {
    if (DOCUMENTATION.has(keyword) || keyword.startsWith('x-')) continue;
    // Names of properties are not keywords: a property may be called `description`.
    reduced[keyword] = keyword === 'properties' ? mapValues(part as DescriptionNode, reduceSchema) : reduceSchema(part);
  }
  return reduced;
}

/** Collects the referenced components, and what these refer to in turn. */
function componentsOf(kept: unknown, components: DescriptionNode): DescriptionNode {
  const reducers = { schemas: reduceSchema, parameters: reduceParameter, responses: reduceMedia };
  const found: Record<keyof typeof reducers, Record<string, unknown>> = { schemas: {}, parameters: {}, responses: {} };
  const add = (value: unknown): void => {
    for (const reference of references(value)) {
      const [kind, name] = reference.replace('#/components/', '').split('/') as [keyof typeof reducers, string];
      if (found[kind][name] !== undefined) continue;
      const component = member(components[kind], name);
      if (component === undefined) throw new Error(`${referenceName(reference)}: not in the given OpenAPI description`);
      found[kind][name] = reducers[kind](component as DescriptionNode);
      add(found[kind][name]);
    }
  };
  add(kept);
  return mapValues(found, kind => sortKeys(kind as DescriptionNode));
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : references(part),
  );
}

const mapValues = (object: DescriptionNode, change: (value: unknown) => unknown): DescriptionNode =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

const sortKeys = (object: DescriptionNode): DescriptionNode =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
