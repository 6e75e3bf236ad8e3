import type { RunnerPool } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import type { Forge, Resolver } from '@minifleet/forges';
import { type Client, keyString, secrets } from '@minifleet/kube';
import { POOL_FORGE_NOT_NAMED, POOL_SECRET_MISSING } from './errors.ts';

export interface ForgeFinder {
  /** The forge a pool registers with. Rejects with an error of a catalogue. */
  find(pool: RunnerPool): Promise<Forge>;
}

export interface ForgeFinderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly resolver: Resolver;
  /** A Secret is not read more often: a new key is used after this time. */
  readonly readEvery: Duration;
}

/** Secrets of Apps carry no label of ours and are not watched; each is read when it is needed, and not for every pass. */
export function createForgeFinder({ client, clock, resolver, readEvery }: ForgeFinderOptions): ForgeFinder {
  const recent = new Map<string, { readonly at: number; readonly forge: Forge }>();

  async function read(namespace: string, name: string, account: string): Promise<Forge> {
    const secret = keyString({ namespace, name });
    const found = await client.find(secrets, { namespace, name });
    if (!found) throw POOL_SECRET_MISSING({ secret, account });
    const fields = Object.entries(found.data ?? {}).map(
      ([field, text]) => [field, Buffer.from(text, 'base64')] as const,
    );
    return resolver.resolve({ account, place: `Secret ${secret}`, fields: Object.fromEntries(fields) });
  }

  return {
    async find({ metadata: { namespace = '' }, spec }) {
      if (!spec.forge) throw POOL_FORGE_NOT_NAMED();
      const { account, secretName } = spec.forge;
      const key = [namespace, secretName, account].join('/');
      const last = recent.get(key);
      if (last && clock.now() - last.at < readEvery) return last.forge;
      recent.delete(key);
      const forge = await read(namespace, secretName, account);
      recent.set(key, { at: clock.now(), forge });
      return forge;
    },
  };
}
