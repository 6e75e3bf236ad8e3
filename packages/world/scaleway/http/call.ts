import type { ApiKey, PermissionSet } from '../model/account.ts';
import { invalidArgument, type JsonObject, type JsonValue, permissionsDenied } from './scaleway-api-error.ts';

type IamResource = 'server' | 'ssh_key';
export type IamAction = 'list' | 'read' | 'create' | 'write' | 'delete';

const readers: Readonly<Record<IamResource, readonly PermissionSet[]>> = {
  server: ['AppleSiliconReadOnly', 'AppleSiliconFullAccess'],
  ssh_key: ['SSHKeysReadOnly', 'SSHKeysFullAccess'],
};
const writers: Readonly<Record<IamResource, readonly PermissionSet[]>> = {
  server: ['AppleSiliconFullAccess'],
  ssh_key: ['SSHKeysFullAccess'],
};

/**
 * Throws unless the policy of the key covers the call. A policy of one project does not cover a call without a project:
 * the vendor tightened this at some point, and `list ssh_key` started to fail (S3). That servers follow the same rule
 * is derived.
 */
export function authorize(key: ApiKey, action: IamAction, resource: IamResource, projectId: string | undefined): void {
  const sets = action === 'list' || action === 'read' ? readers[resource] : writers[resource];
  const covered = key.projectId === undefined || key.projectId === projectId;
  if (!covered || !key.permissions.some(set => sets.includes(set))) throw permissionsDenied(action, resource);
}

/** One authenticated request with a matched route. */
export interface ScalewayCall {
  readonly key: ApiKey;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  /** Returns a variable part of the path. */
  part(name: string): string;
}

export interface ScalewayResult {
  readonly status: number;
  readonly body?: JsonObject;
}

export const ok = (body: JsonObject): ScalewayResult => ({ status: 200, body });
export const noContent: ScalewayResult = { status: 204 };

/** Returns a text field, or undefined when it is absent. Throws for other types. */
export function text(body: JsonObject, field: string): string | undefined {
  return typed(body[field], field, (value): value is string => typeof value === 'string');
}

export function flag(body: JsonObject, field: string): boolean | undefined {
  return typed(body[field], field, (value): value is boolean => typeof value === 'boolean');
}

export function count(body: JsonObject, field: string): number | undefined {
  return typed(body[field], field, (value): value is number => typeof value === 'number');
}

export function object(body: JsonObject, field: string): JsonObject | undefined {
  return typed(body[field], field, isObject);
}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typed<T extends JsonValue>(
  value: JsonValue | undefined,
  field: string,
  fits: (value: JsonValue) => value is T,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!fits(value)) throw invalidArgument(field, 'format');
  return value;
}

export interface ScalewayRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `/iam/v1alpha1/ssh-keys/:id` */
  readonly path: string;
  /** Known query parameters. Like the real API, this one ignores others, but records them in the journal. */
  readonly query?: readonly string[];
  /** Known fields of the body. */
  readonly fields?: readonly string[];
  run(call: ScalewayCall): ScalewayResult;
}

interface ScalewayRouteMatch {
  readonly route: ScalewayRoute;
  readonly parts: ReadonlyMap<string, string>;
}

export function findRoute(
  routes: readonly ScalewayRoute[],
  method: string,
  path: string,
): ScalewayRouteMatch | undefined {
  for (const route of routes) {
    const parts = route.method === method ? matchPath(route.path, path) : undefined;
    if (parts) return { route, parts };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): Map<string, string> | undefined {
  const [requested, given] = [pattern.split('/'), path.split('/')];
  if (requested.length !== given.length) return undefined;
  const parts = new Map<string, string>();
  for (const [index, segment] of requested.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith(':')) parts.set(segment.slice(1), decode(value));
    else if (segment !== value) return undefined;
  }
  return parts;
}

/** Keeps a segment with invalid percent-encoding as it is, so that no lookup finds it. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
