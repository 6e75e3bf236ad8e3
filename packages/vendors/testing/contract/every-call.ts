import type { CallOptions, ServerRef, Vendor } from '../../vendor.ts';
import type { CallName } from '../vendor-call.ts';
import { FIRST_KEY } from './public-keys.ts';

/** One of each, on a server that is there. */
export const everyCall: Readonly<
  Record<CallName, (vendor: Vendor, ref: ServerRef, options?: CallOptions) => Promise<unknown>>
> = {
  servers: (vendor, { zone }, options) => vendor.servers(zone, options),
  server: (vendor, ref, options) => vendor.server(ref, options),
  rename: (vendor, ref, options) => vendor.rename(ref, 'mine', options),
  reinstall: (vendor, ref, options) => vendor.reinstall(ref, undefined, options),
  reboot: (vendor, ref, options) => vendor.reboot(ref, options),
  images: (vendor, { zone }, options) => vendor.images(zone, 'M2-L', options),
  registerKey: (vendor, _, options) => vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY }, options),
};
