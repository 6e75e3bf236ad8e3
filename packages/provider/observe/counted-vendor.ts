import { countedCalls } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';

export interface VendorCallEnd {
  readonly vendor: string;
  readonly call: string;
  /** `ok`, or the reason of the error. */
  readonly outcome: string;
}

/** Wraps a vendor and reports the outcome of each call. */
export function countedVendor(vendor: Vendor, report: (end: VendorCallEnd) => void): Vendor {
  const counted = countedCalls((call, outcome) => report({ vendor: vendor.name, call, outcome }));
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
