import { type Clock, minutes, within } from '@minifleet/clock';
import type { Octokit } from 'octokit';
import { FORGE_UNAVAILABLE } from '../errors.ts';
import { GITHUB, statusOf } from './judge-failure.ts';
import { type OctokitOptions, openAppOctokit, openOctokit } from './open-octokit.ts';
import type { GithubCredentials } from './read-credentials.ts';

export interface MintedToken {
  readonly token: string;
  /** Validity by GitHub’s clock, because the local clock may be wrong. */
  readonly validFor: number;
}

/** Access token that all requests of one installation share. */
interface InstallationToken {
  /** Cached until shortly before it expires; concurrent callers share one request. */
  current(): Promise<string>;
  /** Drops a token that GitHub rejects; a newer one is kept. */
  forget(token: string): void;
}

/** Longer than any request takes. */
const EXPIRY_MARGIN = minutes(5);

/** Replaces the cache of auth-app, which shares pending tokens between servers by installation ID and trusts the local clock. */
export function createInstallationToken(clock: Clock, mint: () => Promise<MintedToken>): InstallationToken {
  let cached: { readonly token: string; readonly until: number } | undefined;
  let pending: Promise<string> | undefined;

  async function mintAndCache(): Promise<string> {
    const { token, validFor } = await mint();
    cached = { token, until: clock.now() + validFor - EXPIRY_MARGIN };
    return token;
  }

  return {
    async current() {
      if (cached && clock.now() < cached.until) return cached.token;
      pending ??= mintAndCache().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    forget(token) {
      if (cached?.token === token) cached = undefined;
    },
  };
}

/** Octokit whose requests carry the access token of the installation. */
export function openInstallationOctokit(settings: OctokitOptions, credentials: GithubCredentials): Octokit {
  const app = openAppOctokit(settings, credentials);
  const tokens = createInstallationToken(settings.clock, () => mint(app, settings, credentials));
  const octokit = openOctokit(settings);
  octokit.hook.wrap('request', (request, options) =>
    withFreshToken(tokens, async token => {
      // Changed in place, because the inner hooks already have the same object.
      options.headers.authorization = `token ${token}`;
      return request(options);
    }),
  );
  return octokit;
}

/** A token may be revoked before it expires: then one new token is requested. */
async function withFreshToken<T>(tokens: InstallationToken, send: (token: string) => Promise<T>): Promise<T> {
  const token = await tokens.current();
  try {
    return await send(token);
  } catch (failure) {
    if (statusOf(failure) !== 401) throw failure;
    tokens.forget(token);
  }
  const another = await tokens.current();
  return send(another).catch((failure: unknown) => {
    if (statusOf(failure) !== 401) throw failure;
    tokens.forget(another);
    // The App is valid, otherwise there would be no token. A new token takes time to propagate (auth-app waits for the same reason).
    const why = 'GitHub rejected the token that it has just issued';
    throw FORGE_UNAVAILABLE({ forge: GITHUB, call: 'installation token', why }, { cause: failure });
  });
}

/** Ignores the signals of its callers, because they share the token. */
const mint = (app: Octokit, { clock, limits }: OctokitOptions, { installationId }: GithubCredentials) =>
  within({ clock, limit: limits.deadline }, async (signal): Promise<MintedToken> => {
    const { data, headers } = await app.rest.apps.createInstallationAccessToken({
      installation_id: installationId,
      request: { signal },
    });
    const now = headers.date === undefined ? clock.now() : Date.parse(headers.date);
    return { token: data.token, validFor: Date.parse(data.expires_at) - now };
  });
