import { VENDOR_UNAVAILABLE, type Vendor } from '@minifleet/vendors';
import type { Effect, Life } from './life.ts';

/** The vendor as one process of the provider reaches it. */
export function vendorHands(vendor: Vendor, life: Life): Vendor {
  const calling =
    (kind: Effect['kind']) =>
    <T>(name: string, call: () => Promise<T>): Promise<T> => {
      const down = () => Promise.reject(VENDOR_UNAVAILABLE({ vendor: vendor.name, call: name, why: 'made to fail' }));
      return life.act({ kind, name }, call, { refused: down, lost: down });
    };
  const asking = calling('vendor read');
  const changing = calling('vendor');
  return {
    name: vendor.name,
    can: vendor.can,
    servers: (zone, options) => asking('servers', () => vendor.servers(zone, options)),
    server: (ref, options) => asking('server', () => vendor.server(ref, options)),
    images: (zone, type, options) => asking('images', () => vendor.images(zone, type, options)),
    rename: (ref, name, options) => changing('rename', () => vendor.rename(ref, name, options)),
    reinstall: (ref, image, options) => changing('reinstall', () => vendor.reinstall(ref, image, options)),
    reboot: (ref, options) => changing('reboot', () => vendor.reboot(ref, options)),
    registerKey: (key, options) => changing('registerKey', () => vendor.registerKey(key, options)),
  };
}
