import { createHash } from 'node:crypto';
import type { Forge, Resolver } from '../forge.ts';
import { type GithubForgeOptions, githubForge, PUBLIC_API } from './github-forge.ts';
import { type GithubCredentials, readCredentials } from './read-credentials.ts';
import { webUrl } from './web-url.ts';

export type GithubResolverOptions = Omit<GithubForgeOptions, 'credentials' | 'account'>;

/** More installations than anyone has: what was used longest ago is dropped, and costs a token when it comes back. */
const MOST = 100;

/** Forges by what their Secrets say: the same words, the same forge, and a changed Secret is a new one. */
export function githubResolver(options: GithubResolverOptions): Resolver {
  const forges = new Map<string, Forge>();
  return {
    async resolve(reference) {
      const credentials = readCredentials(reference);
      const key = fingerprint(credentials, reference.account);
      const forge = forges.get(key) ?? githubForge({ ...options, credentials, account: reference.account });
      forges.delete(key);
      forges.set(key, forge);
      for (const oldest of [...forges.keys()].slice(0, -MOST)) forges.delete(oldest);
      return forge;
    },
    url: account => webUrl(options.apiUrl ?? PUBLIC_API, account),
  };
}

function fingerprint({ appId, installationId, privateKey }: GithubCredentials, account: string): string {
  const words = [account, appId, installationId, privateKey.reveal().toString()];
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}
