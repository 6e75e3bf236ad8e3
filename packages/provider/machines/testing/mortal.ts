import { type Client, ConnectionError, createClient, type Transport } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';

/** Death of a provider at one of its writes, to the API or to the vendor. */
export interface Death {
  /** Counted from 1. */
  readonly at: number;
  /** Whether the last write still takes effect. */
  readonly done: boolean;
}

/** API and vendor of a provider that dies at its n-th write. It sends nothing after that. */
export interface MortalAccess {
  readonly client: Client;
  readonly vendor: Vendor;
  readonly dead: boolean;
}

export function mortalAccess(transport: Transport, vendor: Vendor, { at, done }: Death): MortalAccess {
  let writes = 0;
  let dead = false;
  const gone = () => new ConnectionError('the provider is dead');
  async function write<T>(act: () => Promise<T>): Promise<T> {
    if (dead) throw gone();
    writes += 1;
    if (writes < at) return act();
    dead = true;
    if (done) await act();
    throw gone();
  }
  async function read<T>(act: () => Promise<T>): Promise<T> {
    if (dead) throw gone();
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
    get dead() {
      return dead;
    },
  };
}
