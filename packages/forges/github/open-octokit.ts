import { type Clock, type Duration, milliseconds, seconds, within } from '@minifleet/clock';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from 'octokit';
import type { GithubCredentials } from './read-credentials.ts';

/** Timeouts and retries for a GitHub API that is slow, rate limited or down. */
export interface GithubLimits {
  /** Timeout of a whole call, over all its requests. */
  readonly deadline: Duration;
  /** Timeout of one request, up to the last byte of its response. */
  readonly requestTimeout: Duration;
  /** Retries of a request that is safe to repeat. */
  readonly retries: number;
  /** Delay before the first retry; the second waits four times as long. */
  readonly firstRetryDelay: Duration;
  /** Longest rate limit that a call waits for; a longer one fails at once. */
  readonly maxRateLimitWait: Duration;
}

/** Short, because controllers retry by themselves. */
export const DEFAULT_LIMITS: GithubLimits = {
  deadline: seconds(30),
  requestTimeout: seconds(10),
  retries: 2,
  firstRetryDelay: milliseconds(500),
  maxRateLimitWait: seconds(10),
};

export interface OctokitOptions {
  readonly clock: Clock;
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly limits: GithubLimits;
  readonly rateLimit: RateLimitPause;
  /** Clients with the same ID share one throttle: ten concurrent requests, one write per second. */
  readonly throttleId: string;
}

/** Default of the retry plugin, plus 429: the throttling plugin handles that one, and the retry plugin would be too early. */
const NOT_RETRIED = [400, 401, 403, 404, 410, 422, 429, 451];

/** Unauthenticated; the caller adds a token to its requests. */
export const openOctokit = (options: OctokitOptions): Octokit => withVersion(new Octokit(settings(options)));

/** Authenticated as the App itself. auth-app corrects a wrong local clock by GitHub’s Date header. */
export const openAppOctokit = (options: OctokitOptions, { appId, privateKey }: GithubCredentials): Octokit =>
  withVersion(
    new Octokit({
      ...settings(options),
      authStrategy: createAppAuth,
      auth: { appId, privateKey: privateKey.reveal().toString() },
    }),
  );

function settings({ apiUrl, userAgent, limits, throttleId, ...options }: OctokitOptions) {
  const { rateLimit } = options;
  const onLimit = (retryAfter: number, _: object, __: object, retries: number): boolean => {
    rateLimit.extend(seconds(retryAfter));
    return retries === 0 && seconds(retryAfter) <= limits.maxRateLimitWait;
  };
  return {
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent,
    log: NO_LOG,
    request: { fetch: fetchWithTimeout(options.clock, limits) },
    retry: { doNotRetry: NOT_RETRIED, retries: limits.retries, retryAfterBaseValue: limits.firstRetryDelay },
    throttle: { id: throttleId, onRateLimit: onLimit, onSecondaryRateLimit: onLimit },
  };
}

/** Octokit logs failures that the caller gets as an error anyway. */
const nothing = (): void => undefined;
const NO_LOG = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function withVersion(octokit: Octokit): Octokit {
  octokit.hook.before('request', options => {
    options.headers['x-github-api-version'] = '2022-11-28';
  });
  return octokit;
}

/** Reads the whole response: Octokit treats one that breaks off as a success without data. */
function fetchWithTimeout(clock: Clock, { requestTimeout }: GithubLimits): typeof fetch {
  return (url, init) =>
    within({ clock, limit: requestTimeout, signal: init?.signal }, async signal => {
      const response = await fetch(url, { ...init, signal });
      const body = await response.arrayBuffer();
      return new Response(body.byteLength > 0 ? body : null, response);
    });
}

/** Time until GitHub accepts requests again. Shared by all requests, because a rate limit belongs to the App. */
export interface RateLimitPause {
  extend(duration: Duration): void;
  remaining(): Duration;
}

export function createRateLimitPause(clock: Clock): RateLimitPause {
  let until = 0;
  return {
    extend: duration => {
      until = Math.max(until, clock.now() + duration);
    },
    remaining: () => milliseconds(Math.max(0, until - clock.now())),
  };
}
