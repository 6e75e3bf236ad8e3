import { names } from '@minifleet/api';
import type { KubeObject } from '@minifleet/kube';
import type { Cluster } from './kinds.ts';

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
