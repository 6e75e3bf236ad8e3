import type { CataloguedError } from '@minifleet/errors';
import { FORGE_UNAVAILABLE } from '../errors.ts';
import type { CallName } from './forge-call.ts';

export interface MemoryFault {
  /** Call that fails (default: any call). */
  readonly call?: CallName;
  /** `before`: nothing happened · `after`: it happened and the answer is lost · `hang`: nothing comes until the caller gives up. */
  readonly when: 'before' | 'after' | 'hang';
  /** Error that the call throws (default: FORGE_UNAVAILABLE). */
  readonly error?: CataloguedError;
  /** Number of times the fault occurs (default: 1). */
  readonly times?: number;
}

/** Faults in the order they were asked for; each call takes the first that fits it. */
export interface MemoryFaults {
  readonly add: (fault: MemoryFault) => void;
  readonly take: (call: CallName) => MemoryFault | undefined;
  readonly clear: () => void;
}

export function createMemoryFaults(): MemoryFaults {
  const planned: { readonly fault: MemoryFault; left: number }[] = [];
  return {
    add: fault => void planned.push({ fault, left: fault.times ?? 1 }),
    take(call) {
      const hit = planned.find(({ fault, left }) => left > 0 && (fault.call ?? call) === call);
      if (hit) hit.left -= 1;
      return hit?.fault;
    },
    clear: () => void planned.splice(0),
  };
}

export const errorOf = (fault: MemoryFault, forge: string, call: CallName): CataloguedError =>
  fault.error ?? FORGE_UNAVAILABLE({ forge, call, why: 'made to fail by a test' });

/** Ends only with the signal, and with its reason. Without one it is for ever, as it is on a network. */
export const hang = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
