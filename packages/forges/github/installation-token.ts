import { type Clock, minutes, within } from '@minifleet/clock';
import type { Octokit } from 'octokit';
import { FORGE_UNAVAILABLE } from '../errors.ts';
import { GITHUB, statusOf } from './judge-failure.ts';
import { type OctokitOptions, openAppOctokit, openOctokit } from './open-octokit.ts';
import type { GithubCredentials } from './read-credentials.ts';

export interface MintedToken {
  readonly token: string;
  /** How long it is good for, by the forge’s own clock: ours may be wrong. */
  readonly life: number;
}

/** The token all requests of one installation are made with. */
export interface InstallationToken {
  /** Kept until shortly before its end; however many ask at once, one is minted. */
  current(): Promise<string>;
  /** The forge does not take it any more; a newer one is kept. */
  forget(token: string): void;
}

/** No request outlasts this. */
const SPARE = minutes(5);

/** Not auth-app’s own cache: that shares pending tokens between servers by the installation’s number, and trusts our clock. */
export function createInstallationToken(clock: Clock, mint: () => Promise<MintedToken>): InstallationToken {
  let kept: { readonly token: string; readonly until: number } | undefined;
  let pending: Promise<string> | undefined;

  async function mintAndKeep(): Promise<string> {
    const { token, life } = await mint();
    kept = { token, until: clock.now() + life - SPARE };
    return token;
  }

  return {
    async current() {
      if (kept && clock.now() < kept.until) return kept.token;
      pending ??= mintAndKeep().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    forget(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

/** An Octokit whose requests bear the token of the installation. */
export function signedIn(options: OctokitOptions, credentials: GithubCredentials): Octokit {
  const app = openAppOctokit(options, credentials);
  const tokens = createInstallationToken(options.clock, () => mint(app, options, credentials));
  const octokit = openOctokit(options);
  octokit.hook.wrap('request', (request, asked) =>
    withFreshToken(tokens, async token => {
      // In place: the hooks inside this one were given the same object already.
      asked.headers.authorization = `token ${token}`;
      return request(asked);
    }),
  );
  return octokit;
}

/** A token may be withdrawn before its end: then another is minted, once. */
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
    // The App is who it says, or nothing had been minted: a new token is not known everywhere at once (auth-app waits, too).
    const why = 'it does not take the token it has just given';
    throw FORGE_UNAVAILABLE({ forge: GITHUB, call: 'a new token', why }, { cause: failure });
  });
}

/** For all who wait for it, so it ends with nobody’s signal. */
const mint = (app: Octokit, { clock, patience }: OctokitOptions, { installationId }: GithubCredentials) =>
  within({ clock, limit: patience.deadline }, async (signal): Promise<MintedToken> => {
    const { data, headers } = await app.rest.apps.createInstallationAccessToken({
      installation_id: installationId,
      request: { signal },
    });
    const now = headers.date === undefined ? clock.now() : Date.parse(headers.date);
    return { token: data.token, life: Date.parse(data.expires_at) - now };
  });
