import { type Client, ConnectionError, createClient, type Transport } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';

/** Write of a provider, to the API or to the vendor, at which a test kills it. */
export interface KillPoint {
  /** Number of the write, counted from 1. */
  readonly at: number;
  /** True if the write still takes effect. */
  readonly done: boolean;
}

/** API and vendor of a provider that is killed at its n-th write. It sends nothing after that. */
export interface KillableAccess {
  readonly client: Client;
  readonly vendor: Vendor;
  readonly killed: boolean;
}

export function killableAccess(transport: Transport, vendor: Vendor, { at, done }: KillPoint): KillableAccess {
  let writes = 0;
  let killed = false;
  const connectionLost = () => new ConnectionError('the provider was killed');
  async function write<T>(act: () => Promise<T>): Promise<T> {
    if (killed) throw connectionLost();
    writes += 1;
    if (writes < at) return act();
    killed = true;
    if (done) await act();
    throw connectionLost();
  }
  async function read<T>(act: () => Promise<T>): Promise<T> {
    if (killed) throw connectionLost();
    return act();
  }
  return {
    client: createClient({
      ...transport,
      send: request => (request.method === 'GET' ? read : write)(() => transport.send(request)),
      open: request => read(() => transport.open(request)),
      close: () => transport.close(),
    }),
    vendor: {
      ...vendor,
      servers: (zone, options) => read(() => vendor.servers(zone, options)),
      server: (ref, options) => read(() => vendor.server(ref, options)),
      images: (zone, type, options) => read(() => vendor.images(zone, type, options)),
      rename: (ref, name, options) => write(() => vendor.rename(ref, name, options)),
      reinstall: (ref, image, options) => write(() => vendor.reinstall(ref, image, options)),
      reboot: (ref, options) => write(() => vendor.reboot(ref, options)),
    },
    get killed() {
      return killed;
    },
  };
}
