import type { Cache, KubeObject, ObjectKey, OwnerReference, Resource } from '@minifleet/kube';
import { type Cluster, clusters } from './kinds.ts';

/** Core's mark that an object is a Cluster's; absent until core has seen the Cluster. */
export const ownerReferenceToCluster = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === clusters.kind && apiVersion.startsWith(`${clusters.group}/`),
  );

/** By UID, too: a Cluster made anew under the same name is not the owner. */
export function ownerCluster(cache: Cache<Cluster>, object: KubeObject): Cluster | undefined {
  const reference = ownerReferenceToCluster(object);
  const { namespace = '' } = object.metadata;
  const cluster = reference && cache.get({ namespace, name: reference.name });
  return cluster?.metadata.uid === reference?.uid ? cluster : undefined;
}

/** The objects of this kind that a Cluster refers to: what a change of it may concern. */
export function referredBy(resource: Resource, { metadata, spec }: Cluster): ObjectKey[] {
  const { namespace = '' } = metadata;
  return [spec?.infrastructureRef, spec?.controlPlaneRef].flatMap(reference =>
    reference?.kind === resource.kind && reference.apiGroup === resource.group
      ? [{ namespace, name: reference.name }]
      : [],
  );
}
