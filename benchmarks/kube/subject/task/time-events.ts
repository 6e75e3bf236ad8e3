import { sharedClock } from '../../../child/shared-clock.ts';
import { WRITTEN_AT } from '../../names.ts';
import type { Task } from './task.ts';

/** Records the time since the server wrote the change that triggered the reconcile. */
export function timeEvents(): Task<{ readonly latencies: readonly number[] }> {
  const latencies: number[] = [];
  return {
    async reconcile(loop, key) {
      const now = sharedClock();
      const writtenAt = loop.read(key)?.metadata?.annotations?.[WRITTEN_AT];
      if (writtenAt !== undefined) latencies.push(now - Number(writtenAt));
    },
    figures: () => ({ latencies }),
  };
}
