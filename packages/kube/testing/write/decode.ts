import { apiVersionOf } from '../../client/resource.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { fillDefaults } from '../schema/fill-defaults.ts';
import { problem } from '../schema/problem.ts';
import { prune } from '../schema/prune.ts';
import { badRequest, invalid } from '../server/refusal.ts';
import { isObject, type JsonObject, objectIn, type StoredObject } from '../store/json.ts';

/** The object in a request body: of the right type, in the right namespace. */
export function decodeBody(kind: ServedKind, body: unknown, namespace: string | undefined): StoredObject {
  if (!isObject(body)) throw badRequest('the body of the request is no object');
  checkType(kind, body);
  const metadata = isObject(body['metadata']) ? { ...body['metadata'] } : {};
  if (namespace === undefined) delete metadata['namespace'];
  else if ((metadata['namespace'] ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  } else metadata['namespace'] = namespace;
  return { ...body, metadata } as unknown as StoredObject;
}

function checkType(kind: ServedKind, body: JsonObject): void {
  const expected = apiVersionOf(kind.resource);
  const { apiVersion, kind: given } = body;
  if (typeof given !== 'string' || typeof apiVersion !== 'string') {
    const what = typeof given === 'string' ? 'apiVersion' : 'Kind';
    const text = JSON.stringify(body);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.resource.kind}): Object '${what}' is missing in '${text}'`,
    );
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (given !== kind.resource.kind) throw wrongKind(kind, given, objectIn(body, 'metadata')['name']);
}

function wrongKind(kind: ServedKind, given: string, name: unknown): Error {
  if (!kind.custom) return badRequest(cannotHandle(kind, given, 'unknown conversion'));
  const { group } = kind.resource;
  return invalid({ group, kind: given }, typeof name === 'string' ? name : '', [
    problem('Invalid', 'kind', `Invalid value: ${JSON.stringify(given)}: must be ${kind.resource.kind}`),
  ]);
}

const cannotHandle = (kind: ServedKind, given: string, why: string): string =>
  `${given} in version "${kind.resource.version}" cannot be handled as a ${kind.resource.kind}: ${why}`;

/** Brings an object, in place, to the form the kind keeps; returns the sentence a strict request is refused with. */
export function normalise(kind: ServedKind, object: StoredObject): string | undefined {
  const unknown = kind.custom ? prune(object, kind.schema) : [];
  if (kind.custom) fillDefaults(object, kind.schema);
  kind.complete?.(object);
  if (unknown.length === 0) return undefined;
  return `strict decoding error: ${unknown.map(field => `unknown field "${field}"`).join(', ')}`;
}

export const strictRefusal = (kind: ServedKind, why: string): Error =>
  badRequest(cannotHandle(kind, kind.resource.kind, why));
