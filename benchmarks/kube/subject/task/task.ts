import type { ObjectKey } from '@minifleet/kube';
import type { Loop } from '../loop.ts';

/** What a reconcile does in one measure, and what is learnt from it. */
export interface Task<Figures> {
  reconcile(loop: Loop, key: Required<ObjectKey>): Promise<void>;
  figures(): Figures;
}
