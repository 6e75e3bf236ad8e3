import { names } from '@minifleet/api';
import type { KubeObject } from '@minifleet/kube';
import type { Cluster } from './kinds.ts';

const { deleteForMoveAnnotation, managedByAnnotation, pausedAnnotation } = names.clusterApi;

/** In words what pauses an object; undefined when nothing does. The annotation counts whatever its value, as in core. */
export function pausedBy(object: KubeObject, cluster: Cluster | undefined): string | undefined {
  if (cluster?.spec?.paused) return `Cluster ${cluster.metadata.name} is paused`;
  return hasAnnotation(object, pausedAnnotation) ? `the annotation ${pausedAnnotation} is set` : undefined;
}

/** clusterctl has made the copy in another cluster and takes this one away: nothing is done and nothing is written. */
export const isMovedAway = (object: KubeObject): boolean => hasAnnotation(object, deleteForMoveAnnotation);

/** Core reads the annotation, and its book says label: both count. */
export const isExternallyManaged = (object: KubeObject): boolean =>
  hasAnnotation(object, managedByAnnotation) || object.metadata.labels?.[managedByAnnotation] !== undefined;

const hasAnnotation = ({ metadata }: KubeObject, name: string): boolean => metadata.annotations?.[name] !== undefined;
