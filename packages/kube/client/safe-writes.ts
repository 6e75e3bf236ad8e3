import { retryWhile } from '@minifleet/clock';
import { type KubeObject, keyOf } from '../object.ts';
import { isAlreadyExists, isConflict, isNotFound } from './api-error.ts';
import type { Client } from './client.ts';
import type { Resource } from './resource.ts';

/**
 * Runs a read-modify-write again when another writer came first. `attempt` must read the object itself.
 * `orRecreated`: also if the object was created or deleted in between, for an attempt that creates a missing object.
 */
export function retryOnConflict<T>(
  attempt: () => Promise<T>,
  { orRecreated = false }: { readonly orRecreated?: boolean } = {},
): Promise<T> {
  return retryWhile(
    error => isConflict(error) || (orRecreated && (isAlreadyExists(error) || isNotFound(error))),
    attempt,
  );
}

interface DeleteExactOptions {
  /** Also requires that the object was not written since it was read. */
  readonly unchanged?: boolean;
  readonly gracePeriodSeconds?: number;
}

/**
 * Deletes this very object: true if it did. An object that is gone, was recreated or (with `unchanged`) was written since
 * is left alone.
 */
export async function deleteExact(
  client: Client,
  resource: Resource,
  object: KubeObject,
  { unchanged = false, ...options }: DeleteExactOptions = {},
): Promise<boolean> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  try {
    const preconditions = unchanged ? { uid, resourceVersion } : { uid };
    await client.delete(resource, keyOf(object), { ...options, preconditions });
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}
