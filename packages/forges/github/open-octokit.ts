import { type Clock, type Duration, milliseconds, seconds, within } from '@minifleet/clock';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from 'octokit';
import type { GithubCredentials } from './read-credentials.ts';

/** How the driver treats a forge that is slow, busy or away. */
export interface Patience {
  /** For a whole call, however many requests it takes. */
  readonly deadline: Duration;
  /** For one request, to its last byte. */
  readonly answerWithin: Duration;
  /** How often a request that may be repeated is repeated at most. */
  readonly retries: number;
  /** Before the first repeat; four times as long before the second. */
  readonly firstPause: Duration;
  /** Silence that the forge asks for is waited out up to this; what is longer fails at once. */
  readonly longestSilence: Duration;
}

/** A pass of a controller calls again by itself, so a call gives up early. */
export const patience: Patience = {
  deadline: seconds(30),
  answerWithin: seconds(10),
  retries: 2,
  firstPause: milliseconds(500),
  longestSilence: seconds(10),
};

export interface OctokitOptions {
  readonly clock: Clock;
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly patience: Patience;
  readonly silence: Silence;
  /** Those with the same share one pace: ten requests at once, one write a second. */
  readonly paceId: string;
}

/** The plugin’s own list, and 429, which the other plugin looks after: this one would come back too early. */
const NOT_REPEATED = [400, 401, 403, 404, 410, 422, 429, 451];

/** Signs in as nobody; the caller puts a token on its requests. */
export const openOctokit = (options: OctokitOptions): Octokit => withVersion(new Octokit(settings(options)));

/** Signs in as the App itself. A wrong clock is corrected by the forge’s Date header. */
export const openAppOctokit = (options: OctokitOptions, { appId, privateKey }: GithubCredentials): Octokit =>
  withVersion(
    new Octokit({
      ...settings(options),
      authStrategy: createAppAuth,
      auth: { appId, privateKey: privateKey.reveal().toString() },
    }),
  );

function settings({ apiUrl, userAgent, patience, paceId, ...options }: OctokitOptions) {
  const { silence } = options;
  const obey = (retryAfter: number, _: object, __: object, repeats: number): boolean => {
    silence.hold(seconds(retryAfter));
    return repeats === 0 && seconds(retryAfter) <= patience.longestSilence;
  };
  return {
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent,
    log: SILENT,
    request: { fetch: patientFetch(options.clock, patience) },
    retry: { doNotRetry: NOT_REPEATED, retries: patience.retries, retryAfterBaseValue: patience.firstPause },
    throttle: { id: paceId, onRateLimit: obey, onSecondaryRateLimit: obey },
  };
}

/** What it would say of trouble, the error says to the one who asked. */
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function withVersion(octokit: Octokit): Octokit {
  octokit.hook.before('request', options => {
    options.headers['x-github-api-version'] = '2022-11-28';
  });
  return octokit;
}

/** Reads the answer to its end: Octokit takes one that breaks off in the middle for a success without data. */
function patientFetch(clock: Clock, { answerWithin }: Patience): typeof fetch {
  return (url, init) =>
    within({ clock, limit: answerWithin, signal: init?.signal }, async signal => {
      const answer = await fetch(url, { ...init, signal });
      const body = await answer.arrayBuffer();
      return new Response(body.byteLength > 0 ? body : null, answer);
    });
}

/** How long the forge wants to hear nothing from this App: a limit is the App’s, and not one request’s. */
export interface Silence {
  hold(duration: Duration): void;
  left(): Duration;
}

export function createSilence(clock: Clock): Silence {
  let until = 0;
  return {
    hold: duration => {
      until = Math.max(until, clock.now() + duration);
    },
    left: () => milliseconds(Math.max(0, until - clock.now())),
  };
}
