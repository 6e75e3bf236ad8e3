import { createHash } from 'node:crypto';
import type { Forge, Resolver } from '../forge.ts';
import { type ForgeObserver, observedResolver } from '../observed-resolver.ts';
import { type GithubForgeOptions, githubForge, PUBLIC_API, webUrl } from './github-forge.ts';
import { type GithubCredentials, readCredentials } from './read-credentials.ts';

export interface GithubResolverOptions extends Omit<GithubForgeOptions, 'credentials' | 'account'> {
  /** Required, so that no program uses GitHub without metrics and without redaction of the App's private key. */
  readonly observer: ForgeObserver;
}

/** Upper bound of cached clients. The least recently used one is dropped; it costs one installation token to open it again. */
const MAX_CLIENTS = 100;

/** GitHub clients by credentials: the same credentials return the same client, a changed Secret returns a new one. */
export function githubResolver({ observer, ...options }: GithubResolverOptions): Resolver {
  const forges = new Map<string, Forge>();
  const resolver: Resolver = {
    async resolve(reference) {
      const credentials = readCredentials(reference);
      const key = fingerprint(credentials, reference.account);
      const known = forges.get(key);
      // Converted from the form in the Secret, so its text is another one.
      if (!known) observer.redactor.learn(credentials.privateKey);
      const forge = known ?? githubForge({ ...options, credentials, account: reference.account });
      forges.delete(key);
      forges.set(key, forge);
      for (const oldest of [...forges.keys()].slice(0, -MAX_CLIENTS)) forges.delete(oldest);
      return forge;
    },
    url: account => webUrl(options.apiUrl ?? PUBLIC_API, account),
  };
  return observedResolver(resolver, observer);
}

function fingerprint({ appId, installationId, privateKey }: GithubCredentials, account: string): string {
  const parts = [account, appId, installationId, privateKey.reveal().toString()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
