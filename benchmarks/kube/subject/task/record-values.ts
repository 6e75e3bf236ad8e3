import { sharedClock } from '../../../child/shared-clock.ts';
import type { Task } from './task.ts';

/** The value of an object that is no longer there. */
export const GONE = 'gone';

/** What a reconcile last saw of an object, and when it saw it first. */
export type ObservedValues = ReadonlyMap<string, { readonly value: string; readonly at: number }>;

export function recordValues(): Task<ObservedValues> {
  const seen = new Map<string, { value: string; at: number }>();
  return {
    async reconcile(loop, { namespace, name }) {
      const object = loop.read({ namespace, name });
      const value = object ? (object.data?.['value'] ?? '') : GONE;
      if (seen.get(name)?.value !== value) seen.set(name, { value, at: sharedClock() });
    },
    figures: () => seen,
  };
}
