import type { CataloguedError } from '@minifleet/errors';
import { VENDOR_UNAVAILABLE } from '../errors.ts';
import type { CallName, VendorCall } from './vendor-call.ts';

export interface MemoryFault {
  /** (default: any call) */
  readonly call?: CallName;
  /** (default: any server) */
  readonly id?: string;
  /** `before`: nothing happened · `after`: it happened and the answer is lost · `hang`: nothing comes until the caller gives up. */
  readonly when: 'before' | 'after' | 'hang';
  /** (default: VENDOR_UNAVAILABLE) */
  readonly error?: CataloguedError;
  /** Number of failures (default: 1). */
  readonly times?: number;
}

/** Faults in the order they were asked for; each call takes the first that fits it. */
export interface MemoryFaults {
  readonly add: (fault: MemoryFault) => void;
  readonly take: (call: VendorCall) => MemoryFault | undefined;
  readonly clear: () => void;
}

export function createMemoryFaults(): MemoryFaults {
  let planned: { readonly fault: MemoryFault; left: number }[] = [];
  return {
    add: fault => void planned.push({ fault, left: fault.times ?? 1 }),
    take(call) {
      const hit = planned.find(({ fault }) => fits(fault, call));
      if (!hit) return undefined;
      hit.left -= 1;
      planned = planned.filter(({ left }) => left > 0);
      return hit.fault;
    },
    clear: () => {
      planned = [];
    },
  };
}

const fits = ({ call, id }: MemoryFault, made: VendorCall): boolean =>
  (call === undefined || call === made.call) && (id === undefined || id === made.id);

export const errorOf = (fault: MemoryFault, vendor: string, call: CallName): CataloguedError =>
  fault.error ?? VENDOR_UNAVAILABLE({ vendor, call, why: 'made to fail by a test' });

/** Ends only with the signal, and with its reason. Without one it is for ever, as it is on a network. */
export const hang = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
