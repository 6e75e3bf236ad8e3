import { isNotFound } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import type { Resource } from '../client/resource.ts';
import { deleting, type KubeObject, keyOf } from '../object.ts';

/** The object remains until this controller removes the finalizer. */
export const hasFinalizer = (object: KubeObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;

/**
 * Adds the finalizer in a separate patch, before any effect outside the cluster. Returns true if it was missing: the caller then
 * ends the reconcile, and the write triggers the next one. Never on an object that is being deleted: the server would reject it.
 */
export async function addFinalizer<T extends KubeObject>(
  { client, resource }: { readonly client: Client; readonly resource: Resource<T> },
  object: T,
  finalizer: string,
): Promise<boolean> {
  if (hasFinalizer(object, finalizer) || deleting(object)) return false;
  await writeFinalizers(client, resource, object, [...(object.metadata.finalizers ?? []), finalizer]);
  return true;
}

/** Lets the object go: the last write of a teardown. Gone already is fine. */
export async function removeFinalizer<T extends KubeObject>(
  { client, resource }: { readonly client: Client; readonly resource: Resource<T> },
  object: T,
  finalizer: string,
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) return;
  const left = (object.metadata.finalizers ?? []).filter(name => name !== finalizer);
  try {
    await writeFinalizers(client, resource, object, left);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

// The list is replaced whole: with the resourceVersion a finalizer someone else added meanwhile is a conflict, not a loss.
async function writeFinalizers<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizers: string[],
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  await client.patch(resource, keyOf(object), {
    type: 'merge',
    body: { metadata: { uid, resourceVersion, finalizers } },
  });
}
