import { type Clock, pause, within } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { FORGE_BUSY } from '../errors.ts';
import type { CallOptions, Forge } from '../forge.ts';
import { openApi, singleJobRunner } from './api.ts';
import { signedIn } from './installation-token.ts';
import { type Asked, GITHUB, judgeFailure } from './judge-failure.ts';
import { createSilence, type Patience, type Silence, patience as usual } from './open-octokit.ts';
import type { GithubCredentials } from './read-credentials.ts';

export interface GithubForgeOptions {
  readonly credentials: GithubCredentials;
  /** The organisation. */
  readonly account: string;
  readonly clock: Clock;
  /** `https://<host>/api/v3` for an Enterprise Server; the public API unless said. */
  readonly apiUrl?: string | undefined;
  /** How we call ourselves; GitHub asks for it to find who makes trouble. */
  readonly userAgent?: string | undefined;
  readonly patience?: Partial<Patience> | undefined;
}

export const PUBLIC_API = 'https://api.github.com';

/** Runners of one organisation, on Octokit. One for each installation: it paces what it sends and keeps its token. */
export function githubForge(options: GithubForgeOptions): Forge {
  const { credentials, account, clock, apiUrl = PUBLIC_API, userAgent = 'minifleet' } = options;
  const patience = { ...usual, ...options.patience };
  const silence = createSilence(clock);
  const paceId = `${apiUrl} ${credentials.installationId}`;
  const octokit = signedIn({ clock, apiUrl, userAgent, patience, silence, paceId }, credentials);
  const call = createCalls({ clock, patience, silence, asked: { account, app: credentials.appId } });

  return {
    name: GITHUB,
    url: webUrl(apiUrl, account),
    registrationToken: settings =>
      call('registrationToken', settings, async signal => {
        const { token, expiresAt } = await openApi(octokit, account, signal).registrationToken();
        return { token: new Secret(`a registration token of ${account}`, token), expiresAt };
      }),
    singleJobRunner: (runner, settings) =>
      call('singleJobRunner', settings, async signal => {
        const { id, configuration } = await singleJobRunner(openApi(octokit, account, signal), account, runner);
        return { id, configuration: new Secret(`the configuration of the runner ${runner.name}`, configuration) };
      }),
    runners: settings => call('runners', settings, signal => openApi(octokit, account, signal).runners()),
    runner: (name, settings) =>
      call('runner', settings, async signal => (await openApi(octokit, account, signal).runners(name))[0]),
    remove: (id, settings) => call('remove', settings, signal => openApi(octokit, account, signal).remove(id)),
  };
}

export interface CallsOptions {
  readonly clock: Clock;
  readonly patience: Patience;
  readonly silence: Silence;
  readonly asked: Omit<Asked, 'call'>;
}

/** One call of the driver: all it sends has one deadline. Rejects with an error of the catalogue or the signal’s reason. */
export type Calls = <T>(
  call: string,
  options: CallOptions | undefined,
  body: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

export function createCalls({ clock, patience, silence, asked }: CallsOptions): Calls {
  return async (call, { signal } = {}, body) => {
    try {
      return await within({ clock, limit: patience.deadline, signal }, async over => {
        if (silence.left() > patience.longestSilence) throw FORGE_BUSY({ forge: GITHUB, call });
        if (silence.left() > 0) await pause(clock, silence.left(), over);
        over.throwIfAborted();
        return body(over);
      });
    } catch (failure) {
      signal?.throwIfAborted();
      throw judgeFailure({ ...asked, call }, failure);
    }
  };
}

/** Where people and runners find the account whose API is there: `api.` in front of the host, or `/api/v3` behind it. */
export function webUrl(apiUrl: string, account: string): string {
  const { protocol, host, pathname } = new URL(apiUrl);
  const path = pathname.replace(/\/+$/, '').replace(/\/api\/v3$/, '');
  return `${protocol}//${host.replace(/^api\./, '')}${path}/${account}`;
}
