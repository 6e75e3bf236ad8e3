import { names } from '@minifleet/api';
import type { Cache, KubeObject, ObjectKey, OwnerReference, Resource } from '@minifleet/kube';
import { type Cluster, clusters } from './kinds.ts';

/** Owner reference to the Cluster; Cluster API sets it when it reconciles the Cluster. */
export const ownerReferenceToCluster = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === clusters.kind && apiVersion.startsWith(`${clusters.group}/`),
  );

/** Also compares the UID: a recreated Cluster with the same name is not the owner. */
export function ownerCluster(cache: Cache<Cluster>, object: KubeObject): Cluster | undefined {
  const reference = ownerReferenceToCluster(object);
  const { namespace = '' } = object.metadata;
  const cluster = reference && cache.get({ namespace, name: reference.name });
  return cluster?.metadata.uid === reference?.uid ? cluster : undefined;
}

/** Keys of the objects of this resource that a Cluster references; a change of the Cluster can affect them. */
export function referredBy(resource: Resource, { metadata, spec }: Cluster): ObjectKey[] {
  const { namespace = '' } = metadata;
  return [spec?.infrastructureRef, spec?.controlPlaneRef].flatMap(reference =>
    reference?.kind === resource.kind && reference.apiGroup === resource.group
      ? [{ namespace, name: reference.name }]
      : [],
  );
}

const { deleteForMoveAnnotation, managedByAnnotation, pausedAnnotation } = names.clusterApi;

/** Says what pauses an object; undefined if it is not paused. As in Cluster API, the annotation counts with any value. */
export function pausedBy(object: KubeObject, cluster: Cluster | undefined): string | undefined {
  if (cluster?.spec?.paused) return `Cluster ${cluster.metadata.name} is paused`;
  return hasAnnotation(object, pausedAnnotation) ? `the annotation ${pausedAnnotation} is set` : undefined;
}

/** True if clusterctl has copied the object to another cluster and deletes this one; the provider then changes nothing. */
export const isMovedAway = (object: KubeObject): boolean => hasAnnotation(object, deleteForMoveAnnotation);

/** Cluster API reads the annotation, but its documentation says label: both count. */
export const isExternallyManaged = (object: KubeObject): boolean =>
  hasAnnotation(object, managedByAnnotation) || object.metadata.labels?.[managedByAnnotation] !== undefined;

const hasAnnotation = ({ metadata }: KubeObject, name: string): boolean => metadata.annotations?.[name] !== undefined;
