import type { KubeObject } from '../object.ts';
import type { Client, WriteOptions } from './client.ts';
import type { Resource } from './resource.ts';

/** Calls `onWrite` with the object that each successful write returned. */
export function trackWrites(client: Client, onWrite: (resource: Resource, object: KubeObject) => void): Client {
  // Other subresources return another kind: a Scale, a TokenRequest.
  const isOfObject = ({ subresource = 'status', dryRun = false }: WriteOptions): boolean =>
    subresource === 'status' && !dryRun;
  const tracked = async <T extends KubeObject>(
    resource: Resource<T>,
    write: Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> => {
    const object = await write;
    if (isOfObject(options)) onWrite(resource, object);
    return object;
  };
  return {
    ...client,
    update: (resource, object, options) => tracked(resource, client.update(resource, object, options), options),
    patch: (resource, key, patch, options) => tracked(resource, client.patch(resource, key, patch, options), options),
    apply: (resource, object, options) => tracked(resource, client.apply(resource, object, options), options),
  };
}
