import type { Vendor } from '@minifleet/vendors';
import { reasonOf } from './reason-of.ts';

export interface VendorCallEnd {
  readonly vendor: string;
  readonly call: string;
  /** `ok`, or the reason of the error. */
  readonly outcome: string;
}

/** The same vendor; the end of each call is told. */
export function countedVendor(vendor: Vendor, tell: (end: VendorCallEnd) => void): Vendor {
  const counted =
    <A extends readonly unknown[], R>(call: string, ask: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      try {
        const answer = await ask(...given);
        tell({ vendor: vendor.name, call, outcome: 'ok' });
        return answer;
      } catch (error) {
        tell({ vendor: vendor.name, call, outcome: outcomeOf(error) });
        throw error;
      }
    };
  return {
    name: vendor.name,
    can: vendor.can,
    servers: counted('servers', (...given) => vendor.servers(...given)),
    server: counted('server', (...given) => vendor.server(...given)),
    rename: counted('rename', (...given) => vendor.rename(...given)),
    reinstall: counted('reinstall', (...given) => vendor.reinstall(...given)),
    reboot: counted('reboot', (...given) => vendor.reboot(...given)),
    images: counted('images', (...given) => vendor.images(...given)),
    registerKey: counted('registerKey', (...given) => vendor.registerKey(...given)),
  };
}

const outcomeOf = (error: unknown): string =>
  error instanceof DOMException && error.name === 'AbortError' ? 'Aborted' : reasonOf(error);
