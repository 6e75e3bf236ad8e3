import { sharedClock } from '../../../child/shared-clock.ts';
import type { Task } from './task.ts';

/** Value of a deleted object. */
export const GONE = 'gone';

/** Last observed value of each object, and the time of its first observation. */
export type ObservedValues = ReadonlyMap<string, { readonly value: string; readonly at: number }>;

export function recordValues(): Task<ObservedValues> {
  const observed = new Map<string, { value: string; at: number }>();
  return {
    async reconcile(loop, { namespace, name }) {
      const object = loop.read({ namespace, name });
      const value = object ? (object.data?.['value'] ?? '') : GONE;
      if (observed.get(name)?.value !== value) observed.set(name, { value, at: sharedClock() });
    },
    figures: () => observed,
  };
}
