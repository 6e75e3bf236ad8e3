import { type Clock, createTtlCache, type Duration, milliseconds } from '@minifleet/clock';
import { FORGE_SECRET_MISSING } from './errors.ts';
import type { Forge, Resolver } from './forge.ts';

/** An organisation, and the Kubernetes Secret with the GitHub App that is installed on it. */
interface ForgeSource {
  readonly namespace: string;
  readonly secretName: string;
  readonly account: string;
}

/** Finds the GitHub client of an organisation by the Secret that holds its credentials. */
export interface ForgeLookup {
  /** Rejects with FORGE_SECRET_MISSING or FORGE_CREDENTIALS_…; errors of `readSecret` are passed on. */
  find(source: ForgeSource): Promise<Forge>;
}

interface ForgeLookupDeps {
  readonly clock: Clock;
  readonly resolver: Resolver;
  /** Reads a Secret from the API server: values in Base64, undefined if there is no such Secret. */
  readonly readSecret: (key: { readonly namespace: string; readonly name: string }) => Promise<SecretData | undefined>;
  /** Time for which a Secret is not read again; a new key is used after this time (default: 0, read for each call). */
  readonly reuseFor?: Duration;
}

export interface SecretData {
  readonly data?: Readonly<Record<string, string>>;
}

/** Secrets of GitHub Apps have no Minifleet label and are not watched: each is read when it is needed. */
export function createForgeLookup({ clock, resolver, readSecret, reuseFor }: ForgeLookupDeps): ForgeLookup {
  const forges = createTtlCache({ clock, ttl: reuseFor ?? milliseconds(0), load });

  async function load(key: string): Promise<Forge> {
    const [namespace = '', name = '', account = ''] = key.split('/');
    const secret = `${namespace}/${name}`;
    const found = await readSecret({ namespace, name });
    if (!found) throw FORGE_SECRET_MISSING({ secret, account });
    const fields = Object.entries(found.data ?? {}).map(
      ([field, value]) => [field, Buffer.from(value, 'base64')] as const,
    );
    return resolver.resolve({ account, place: `Secret ${secret}`, fields: Object.fromEntries(fields) });
  }

  // Names of Kubernetes objects and of GitHub accounts contain no slash.
  return { find: ({ namespace, secretName, account }) => forges.get([namespace, secretName, account].join('/')) };
}
