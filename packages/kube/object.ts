import type { ObjectMeta, OwnerReference } from '@minifleet/api';

export type { OwnerReference };

/** Fields of every Kubernetes object, as the JSON that the server sent: nothing is parsed, renamed or dropped. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
}

export type Metadata = ObjectMeta;

/** Names one object of a kind; `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** The key as one string, `namespace/name` or `name`: what the queue and the cache use. */
export const keyString = (key: ObjectKey): string => (key.namespace ? `${key.namespace}/${key.name}` : key.name);

export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export const keyOf = (object: KubeObject): ObjectKey =>
  object.metadata.namespace
    ? { namespace: object.metadata.namespace, name: object.metadata.name }
    : { name: object.metadata.name };

export const deleting = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;

/** The one owner that controls the object, if it has one. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find(owner => owner.controller);

/** `Machine default/a`: how errors and logs name an object. */
export const describeObject = (object: KubeObject): string => `${object.kind} ${keyString(keyOf(object))}`;
