import { type Client, ConnectionError, createClient, type Transport } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';
import type { Vendors } from '../../claims/vendors.ts';

/** The hands of a provider that dies at its n-th write, to the API or at the vendor: it is done or not, and nothing comes after. */
export interface Mortal {
  readonly client: Client;
  readonly vendors: Vendors;
  readonly dead: boolean;
}

export interface Death {
  /** Counted from 1. */
  readonly at: number;
  /** Whether the last write still takes effect. */
  readonly done: boolean;
}

export function mortal(transport: Transport, vendor: Vendor, { at, done }: Death): Mortal {
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
  const client = createClient({
    ...transport,
    send: request => (request.method === 'GET' ? read : write)(() => transport.send(request)),
    open: request => read(() => transport.open(request)),
    close: () => transport.close(),
  });
  const hands: Vendor = {
    ...vendor,
    rename: (ref, name, options) => write(() => vendor.rename(ref, name, options)),
    reinstall: (ref, image, options) => write(() => vendor.reinstall(ref, image, options)),
  };
  return {
    client,
    vendors: { for: async () => hands, all: () => [hands] },
    get dead() {
      return dead;
    },
  };
}
