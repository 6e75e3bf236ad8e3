import {
  type Client,
  isForbidden,
  isNotFound,
  type KubeObject,
  type ListOptions,
  type Resource,
} from '@minifleet/kube/client';

/** What was found, and, where not all could be looked at, why. */
export interface ListResult<T> {
  readonly items: readonly T[];
  /** In words; absent when all was seen. */
  readonly unreadable?: string;
}

/** All of a kind. One the cluster does not serve has no objects; one we may not list is said to be unreadable. */
export async function listAll<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: ListOptions = {},
): Promise<ListResult<T>> {
  try {
    return { items: (await client.list(resource, options)).items };
  } catch (error) {
    if (isNotFound(error)) return { items: [] };
    if (isForbidden(error)) return { items: [], unreadable: `you may not list ${resource.plural}` };
    throw error;
  }
}
