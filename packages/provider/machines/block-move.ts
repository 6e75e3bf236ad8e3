import { type InfraMachine, names } from '@minifleet/api';

const { blockMoveAnnotation } = names.clusterApi;

/** clusterctl waits for objects with this annotation. It is set while the machine holds a host whose status is not saved for a move. */
export function blockMove({ metadata }: InfraMachine, blocked: boolean): void {
  if (!blocked) delete metadata.annotations?.[blockMoveAnnotation];
  else metadata.annotations = { ...metadata.annotations, [blockMoveAnnotation]: '' };
}
