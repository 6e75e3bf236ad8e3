import type { Clock } from '@minifleet/clock';
import type { VendorSettings } from '../vendor/settings.ts';
import { tooManyRequests } from './api-error.ts';

/** Counts the requests of each key in windows of the clock. With a clock that stands still, a window never ends. */
export interface RateLimit {
  /** Counts one request and gives the headers that go with its answer; throws when it is one too many. */
  admit(secretKey: string): Readonly<Record<string, string>>;
}

export function createRateLimit(clock: Clock, limit: VendorSettings['rateLimit']): RateLimit {
  if (limit === 'none') return { admit: () => ({}) };
  const { quota, window } = limit;
  const used = new Map<string, { began: number; requests: number }>();
  return {
    admit(secretKey) {
      const now = clock.now();
      const before = used.get(secretKey);
      const current = before && now - before.began < window ? before : { began: now, requests: 0 };
      used.set(secretKey, current);
      current.requests += 1;
      const reset = Math.max(1, Math.ceil((current.began + window - now) / 1_000));
      if (current.requests > quota) throw tooManyRequests(quota, window / 1_000, reset);
      return {
        'x-ratelimit-limit': `${quota}, ${quota};w=${window / 1_000}`,
        'x-ratelimit-remaining': String(quota - current.requests),
        'x-ratelimit-reset': String(reset),
      };
    },
  };
}
