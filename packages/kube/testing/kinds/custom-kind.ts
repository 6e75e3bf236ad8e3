import type { Resource } from '../../client/resource.ts';
import { metadataSchema, type Schema } from '../schema/schema.ts';
import { isObject, type JsonObject, objectIn, type StoredObject } from '../store/json.ts';
import { versionsOf } from './built-in/definition.ts';
import { kindId, type ServedKind, type Validate } from './served-kind.ts';

export interface CustomKindOptions {
  readonly servedSince: number;
  readonly validate?: (resource: Resource) => Validate | undefined;
}

/** Creates one kind for each served version of a CustomResourceDefinition. */
export function customKinds(definition: StoredObject, options: CustomKindOptions): ServedKind[] {
  return versionsOf(definition)
    .filter(version => version['served'] === true)
    .map(version => customKind(definition, version, options));
}

function customKind(definition: StoredObject, version: JsonObject, options: CustomKindOptions): ServedKind {
  const spec = objectIn(definition, 'spec');
  const names = objectIn(spec, 'names');
  const resource: Resource = {
    group: String(spec['group']),
    version: String(version['name']),
    kind: String(names['kind']),
    plural: String(names['plural']),
    scope: spec['scope'] === 'Cluster' ? 'Cluster' : 'Namespaced',
  };
  const validate = options.validate?.(resource);
  return {
    id: kindId(resource),
    resource,
    custom: true,
    schema: withMetadata(objectIn(objectIn(version, 'schema'), 'openAPIV3Schema')),
    subresources: isObject(objectIn(version, 'subresources')['status']) ? ['status'] : [],
    generation: true,
    metadataWithStatus: false,
    unconditionalUpdate: false,
    createOnUpdate: false,
    graceful: false,
    selectableFields: selectableFields(version),
    servedSince: options.servedSince,
    ...(validate ? { validate } : {}),
  };
}

/** A custom kind without a definition: it has any fields and a status subresource. */
export function schemalessKind(resource: Resource, options: CustomKindOptions): ServedKind {
  const { group, scope, version, kind, plural } = resource;
  const schema = { openAPIV3Schema: { 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: version, served: true, schema, subresources: { status: {} } }];
  const spec = { group, scope, names: { kind, plural }, versions };
  return customKind({ spec } as unknown as StoredObject, versions[0] ?? {}, options);
}

/** The metadata of a custom kind has the standard schema, whatever its own schema declares. */
const withMetadata = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, metadata: metadataSchema },
});

function selectableFields(version: JsonObject): string[] {
  const { selectableFields: fields } = version;
  return Array.isArray(fields)
    ? fields.filter(isObject).map(field => String(field['jsonPath']).replace(/^\./, ''))
    : [];
}
