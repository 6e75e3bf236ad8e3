import type { KindResource as ApiResource } from '@minifleet/api';
import type { KubeObject, ObjectKey } from '../object.ts';

/** Resource of the API server. The type parameter is only for the compiler. */
export type Resource<T extends KubeObject = KubeObject> = ApiResource<T>;

export const apiVersionOf = (resource: Resource): string =>
  resource.group ? `${resource.group}/${resource.version}` : resource.version;

/** `machines.cluster.x-k8s.io`, `pods`: how Kubernetes itself names a resource. */
export const resourceName = (resource: Resource): string =>
  resource.group ? `${resource.plural}.${resource.group}` : resource.plural;

const prefixOf = (resource: Resource): string =>
  resource.group ? `/apis/${resource.group}/${resource.version}` : `/api/${resource.version}`;

export function collectionPath(resource: Resource, namespace?: string): string {
  const scoped = resource.scope === 'Namespaced' && namespace;
  return `${prefixOf(resource)}${scoped ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${resource.plural}`;
}

export function objectPath(resource: Resource, key: ObjectKey, subresource?: string): string {
  if (resource.scope === 'Namespaced' && !key.namespace) {
    throw new TypeError(`${resource.kind} ${key.name} needs a namespace: ${resourceName(resource)} are namespaced`);
  }
  const path = `${collectionPath(resource, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource ? `${path}/${subresource}` : path;
}
