import { type Clock, pause, within } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { FORGE_BUSY } from '../errors.ts';
import type { Forge, ForgeCallOptions } from '../forge.ts';
import { openOrganisationApi, singleJobRunner } from './api.ts';
import { openInstallationOctokit } from './installation-token.ts';
import { GITHUB, type GithubCall, judgeFailure } from './judge-failure.ts';
import { createRateLimitPause, DEFAULT_LIMITS, type GithubLimits, type RateLimitPause } from './open-octokit.ts';
import type { GithubCredentials } from './read-credentials.ts';

export interface GithubForgeOptions {
  readonly credentials: GithubCredentials;
  /** The organisation. */
  readonly account: string;
  readonly clock: Clock;
  /** `https://<host>/api/v3` for GitHub Enterprise Server (default: `https://api.github.com`). */
  readonly apiUrl?: string | undefined;
  /** User-Agent header, which GitHub requires (default: `minifleet`). */
  readonly userAgent?: string | undefined;
  readonly limits?: Partial<GithubLimits> | undefined;
}

export const PUBLIC_API = 'https://api.github.com';

/** GitHub client for the runners of one organisation. One for each installation: it throttles its requests and caches its token. */
export function githubForge(options: GithubForgeOptions): Forge {
  const { credentials, account, clock, apiUrl = PUBLIC_API, userAgent = 'minifleet' } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const rateLimit = createRateLimitPause(clock);
  const throttleId = `${apiUrl} ${credentials.installationId}`;
  const octokit = openInstallationOctokit({ clock, apiUrl, userAgent, limits, rateLimit, throttleId }, credentials);
  const call = createCaller({ clock, limits, rateLimit, target: { account, app: credentials.appId } });

  return {
    name: GITHUB,
    url: webUrl(apiUrl, account),
    registrationToken: settings =>
      call('registrationToken', settings, async signal => {
        const { token, expiresAt } = await openOrganisationApi(octokit, account, signal).registrationToken();
        return { token: new Secret(`registration token of ${account}`, token), expiresAt };
      }),
    singleJobRunner: (runner, settings) =>
      call('singleJobRunner', settings, async signal => {
        const { id, configuration } = await singleJobRunner(
          openOrganisationApi(octokit, account, signal),
          account,
          runner,
        );
        return { id, configuration: new Secret(`JIT configuration of runner ${runner.name}`, configuration) };
      }),
    runners: settings => call('runners', settings, signal => openOrganisationApi(octokit, account, signal).runners()),
    runner: (name, settings) =>
      call('runner', settings, async signal => (await openOrganisationApi(octokit, account, signal).runners(name))[0]),
    remove: (id, settings) =>
      call('remove', settings, signal => openOrganisationApi(octokit, account, signal).remove(id)),
    runnerVersion: (version, settings) =>
      call('runnerVersion', settings, signal => openOrganisationApi(octokit, account, signal).runnerVersion(version)),
  };
}

interface CallerDeps {
  readonly clock: Clock;
  readonly limits: GithubLimits;
  readonly rateLimit: RateLimitPause;
  readonly target: Omit<GithubCall, 'call'>;
}

/** Runs one call; all its requests share one deadline. Rejects with an error of the catalogue or the reason of the signal. */
type GithubCaller = <T>(
  call: string,
  options: ForgeCallOptions | undefined,
  body: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

function createCaller({ clock, limits, rateLimit, target }: CallerDeps): GithubCaller {
  return async (call, { signal } = {}, body) => {
    try {
      return await within({ clock, limit: limits.deadline, signal }, async deadline => {
        if (rateLimit.remaining() > limits.maxRateLimitWait) throw FORGE_BUSY({ forge: GITHUB, call });
        if (rateLimit.remaining() > 0) await pause(clock, rateLimit.remaining(), deadline);
        deadline.throwIfAborted();
        return body(deadline);
      });
    } catch (failure) {
      signal?.throwIfAborted();
      throw judgeFailure({ ...target, call }, failure);
    }
  };
}

/** Web URL of an account: without `api.` before the host and without `/api/v3` after it. */
export function webUrl(apiUrl: string, account: string): string {
  const { protocol, host, pathname } = new URL(apiUrl);
  const path = pathname.replace(/\/+$/, '').replace(/\/api\/v3$/, '');
  return `${protocol}//${host.replace(/^api\./, '')}${path}/${account}`;
}
