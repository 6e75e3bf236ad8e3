import {
  type Client,
  isForbidden,
  isNotFound,
  type KubeObject,
  type ListOptions,
  type Resource,
} from '@minifleet/kube/client';

/** List of objects, or the reason why the list could not be read. */
export interface ListResult<T> {
  readonly items: readonly T[];
  /** Reason why the list could not be read; absent if it was read. */
  readonly unreadable?: string;
}

/** Lists all objects of a resource. A resource that the cluster does not serve has no objects; a forbidden list is `unreadable`. */
export async function listAll<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: ListOptions = {},
): Promise<ListResult<T>> {
  try {
    return { items: (await client.list(resource, options)).items };
  } catch (error) {
    if (isNotFound(error)) return { items: [] };
    if (isForbidden(error)) return { items: [], unreadable: `you are not allowed to list ${resource.plural}` };
    throw error;
  }
}
