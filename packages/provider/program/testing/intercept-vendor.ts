import { VENDOR_UNAVAILABLE, type Vendor } from '@minifleet/vendors';
import type { Effect, ProgramRun } from './program-run.ts';

/** Vendor client of one provider process that injects faults at calls. */
export function interceptVendor(vendor: Vendor, run: ProgramRun): Vendor {
  const intercept =
    (kind: Effect['kind']) =>
    <T>(name: string, call: () => Promise<T>): Promise<T> => {
      const unavailable = () =>
        Promise.reject(VENDOR_UNAVAILABLE({ vendor: vendor.name, call: name, why: 'injected fault' }));
      return run.act({ kind, name }, call, { rejected: unavailable, responseLost: unavailable });
    };
  const read = intercept('vendor read');
  const write = intercept('vendor');
  return {
    name: vendor.name,
    can: vendor.can,
    servers: (zone, options) => read('servers', () => vendor.servers(zone, options)),
    server: (ref, options) => read('server', () => vendor.server(ref, options)),
    images: (zone, type, options) => read('images', () => vendor.images(zone, type, options)),
    rename: (ref, name, options) => write('rename', () => vendor.rename(ref, name, options)),
    reinstall: (ref, image, options) => write('reinstall', () => vendor.reinstall(ref, image, options)),
    reboot: (ref, options) => write('reboot', () => vendor.reboot(ref, options)),
    registerKey: (key, options) => write('registerKey', () => vendor.registerKey(key, options)),
  };
}
