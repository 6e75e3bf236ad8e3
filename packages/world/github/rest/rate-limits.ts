import { type Duration, minutes } from '@minifleet/clock';
import type { WorldDeps } from '../../world-deps.ts';
import type { GithubBehaviour } from '../options.ts';
import { GithubApiError } from './github-api-error.ts';

/** `core` for nearly everything; registration tokens have a separate limit. */
export type RateLimitResource = 'core' | 'actions_runner_registration';

interface Allowance {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
}

/** An active secondary limit: triggered by too many requests at once, and not readable beforehand. */
interface Throttle {
  readonly status?: 403 | 429;
  readonly retryAfter: Duration;
  /** Number of requests until it is lifted (default: 1). */
  readonly times?: number;
}

const WINDOW = minutes(60);
const ANONYMOUS_LIMIT = 60;
const REGISTRATION_LIMIT = 10_000;
const ABOUT = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api';

/** Counts requests per caller in windows of an hour, as the `x-ratelimit-*` headers report them. */
export class RateLimits {
  readonly #world: WorldDeps;
  readonly #windows = new Map<string, { used: number; readonly reset: number }>();
  #limit: number;
  #throttle: { readonly throttle: Throttle; left: number } | undefined;

  constructor(world: WorldDeps, behaviour: Pick<GithubBehaviour, 'requestsPerHour'>) {
    this.#world = world;
    this.#limit = behaviour.requestsPerHour;
  }

  /** Changes the hourly limit: 0 rejects everything until it is raised. */
  setLimit(requestsPerHour: number): void {
    this.#limit = requestsPerHour;
  }

  throttle(throttle: Throttle): void {
    this.#throttle = { throttle, left: throttle.times ?? 1 };
  }

  read(caller: string, resource: RateLimitResource): Allowance {
    const { used, reset } = this.#window(caller, resource);
    const limit = this.#limitOf(caller, resource);
    return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(reset / 1_000) };
  }

  /** Counts one request, or throws when the limit is exceeded. */
  spend(caller: string, resource: RateLimitResource, requestId: string): void {
    this.#refuseWhenThrottled();
    const window = this.#window(caller, resource);
    if (window.used >= this.#limitOf(caller, resource)) throw exhausted(caller, requestId);
    window.used += 1;
  }

  #refuseWhenThrottled(): void {
    const active = this.#throttle;
    if (!active || active.left <= 0) return;
    active.left -= 1;
    const { status = 403, retryAfter } = active.throttle;
    throw secondary(status, retryAfter);
  }

  #limitOf(caller: string, resource: RateLimitResource): number {
    if (caller === 'anonymous') return Math.min(ANONYMOUS_LIMIT, this.#limit);
    return resource === 'core' ? this.#limit : REGISTRATION_LIMIT;
  }

  #window(caller: string, resource: RateLimitResource): { used: number; readonly reset: number } {
    const now = this.#world.clock.now();
    const key = `${caller} ${resource}`;
    const old = this.#windows.get(key);
    if (old && old.reset > now) return old;
    const fresh = { used: 0, reset: now + WINDOW };
    this.#windows.set(key, fresh);
    return fresh;
  }
}

const exhausted = (caller: string, requestId: string): GithubApiError =>
  new GithubApiError(
    403,
    `API rate limit exceeded for ${caller}. If you reach out to GitHub Support for help, please include the request ID ${requestId}.`,
    { details: { documentation_url: ABOUT } },
  );

const secondary = (status: number, retryAfter: Duration): GithubApiError =>
  new GithubApiError(
    status,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    {
      headers: { 'retry-after': String(Math.ceil(retryAfter / 1_000)) },
      details: { documentation_url: `${ABOUT}#about-secondary-rate-limits` },
    },
  );

export const rateLimitHeaders = (allowance: Allowance, resource: RateLimitResource): Record<string, string> => ({
  'x-ratelimit-limit': String(allowance.limit),
  'x-ratelimit-remaining': String(allowance.remaining),
  'x-ratelimit-reset': String(allowance.reset),
  'x-ratelimit-used': String(allowance.used),
  'x-ratelimit-resource': resource,
});
