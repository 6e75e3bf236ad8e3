import { DONE } from '../../names.ts';
import type { Task } from './task.ts';

/** Writes one annotation where it is missing: the smallest reconcile that converges. */
export function annotateOnce(): Task<{ readonly writes: number }> {
  let writes = 0;
  return {
    async reconcile(loop, key) {
      if (loop.read(key)?.metadata?.annotations?.[DONE] === 'yes') return;
      await loop.annotate(key, { [DONE]: 'yes' });
      writes++;
    },
    figures: () => ({ writes }),
  };
}
