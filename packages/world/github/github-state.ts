import type { Clock, Duration, Timer } from '@minifleet/clock';
import type { WorldDeps } from '../world-deps.ts';
import type { Accounts } from './accounts.ts';
import type { GithubApp, Tokens } from './auth/tokens.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { GithubBehaviour } from './options.ts';
import type { RateLimits } from './rest/rate-limits.ts';
import type { RunnerReleases } from './runners/runner-releases.ts';
import type { Runners } from './runners/runners.ts';
import type { Hooks } from './webhooks/hooks.ts';

/** The state of the simulated GitHub that its endpoints read and change. */
export interface GithubState {
  readonly world: WorldDeps;
  readonly behaviour: GithubBehaviour;
  readonly timers: Timers;
  readonly accounts: Accounts;
  readonly apps: readonly GithubApp[];
  readonly tokens: Tokens;
  readonly runners: Runners;
  readonly releases: RunnerReleases;
  readonly jobs: Jobs;
  readonly hooks: Hooks;
  readonly limits: RateLimits;
  /** URLs of the service; `api` is set once the server listens. */
  readonly address: { readonly api: string; readonly html: string };
}

/** The timers of one instance. Closing cancels all of them and prevents new ones. */
export interface Timers {
  after(duration: Duration, callback: () => void): Timer;
  close(): void;
}

export function createTimers(clock: Clock): Timers {
  const waiting = new Set<Timer>();
  let closed = false;
  return {
    after(duration, callback) {
      // A request that ends because the server closes may still start a timer.
      if (closed) return { cancel: () => undefined };
      const timer = clock.after(duration, () => {
        waiting.delete(started);
        callback();
      });
      const started: Timer = {
        cancel() {
          waiting.delete(started);
          timer.cancel();
        },
      };
      waiting.add(started);
      return started;
    },
    close: () => {
      closed = true;
      for (const timer of waiting) timer.cancel();
    },
  };
}
