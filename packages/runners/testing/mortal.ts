import type { Forge, Resolver } from '@minifleet/forges';
import { ConnectionError, type Transport } from '@minifleet/kube';

export interface Death {
  /** The write it dies at, counted from 1. */
  readonly at: number;
  /** True if this call still takes effect. */
  readonly done: boolean;
}

/** The hands of a program that dies at its n-th write, to the API or at the forge: it is done or not, and nothing comes after. */
export interface Mortal {
  readonly transport: Transport;
  readonly resolver: Resolver;
  readonly dead: boolean;
}

export function mortal(transport: Transport, resolver: Resolver, death: Death | undefined): Mortal {
  let writes = 0;
  let dead = false;
  const gone = () => new ConnectionError('the program is dead');
  async function write<T>(act: () => Promise<T>): Promise<T> {
    if (dead) throw gone();
    writes += 1;
    if (death === undefined || writes < death.at) return act();
    dead = true;
    if (death.done) await act();
    throw gone();
  }
  async function read<T>(act: () => Promise<T>): Promise<T> {
    if (dead) throw gone();
    return act();
  }
  const hands = (forge: Forge): Forge => ({
    ...forge,
    singleJobRunner: (runner, options) => write(() => forge.singleJobRunner(runner, options)),
    remove: (id, options) => write(() => forge.remove(id, options)),
    runners: options => read(() => forge.runners(options)),
    runner: (name, options) => read(() => forge.runner(name, options)),
    runnerVersion: (version, options) => read(() => forge.runnerVersion(version, options)),
  });
  // The same forge for the same credentials, as a resolver promises.
  const known = new Map<Forge, Forge>();
  return {
    transport: {
      send: request => (request.method === 'GET' ? read : write)(() => transport.send(request)),
      open: request => read(() => transport.open(request)),
      close: () => transport.close(),
    },
    resolver: {
      ...resolver,
      async resolve(reference) {
        const forge = await resolver.resolve(reference);
        const mine = known.get(forge) ?? hands(forge);
        known.set(forge, mine);
        return mine;
      },
    },
    get dead() {
      return dead;
    },
  };
}
