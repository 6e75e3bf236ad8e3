import type { ObjectKey } from '@minifleet/kube';
import type { Loop } from '../loop.ts';

/** Reconcile function of one measurement, and its figures. */
export interface Task<Figures> {
  reconcile(loop: Loop, key: Required<ObjectKey>): Promise<void>;
  figures(): Figures;
}
