import { sharedClock } from '../../../child/shared-clock.ts';
import type { Task } from './task.ts';

/** Reads the object from the cache, changes nothing, and records the time. */
export function readCache(): Task<{ readonly found: number; readonly lastAt: number }> {
  let found = 0;
  let lastAt = 0;
  return {
    async reconcile(loop, key) {
      if (loop.read(key)) found++;
      lastAt = sharedClock();
    },
    figures: () => ({ found, lastAt }),
  };
}
