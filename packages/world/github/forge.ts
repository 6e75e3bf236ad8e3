import type { Surroundings } from '../surroundings.ts';
import type { Accounts } from './accounts.ts';
import type { App } from './auth/apps.ts';
import type { Tokens } from './auth/tokens.ts';
import type { Habits } from './habits.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { RateLimits } from './rest/rate-limits.ts';
import type { Runners } from './runners/runners.ts';
import type { Timers } from './timers.ts';
import type { Hooks } from './webhooks/hooks.ts';

/** The whole state of the forge: what its endpoints read and change. */
export interface Forge {
  readonly around: Surroundings;
  readonly habits: Habits;
  readonly timers: Timers;
  readonly accounts: Accounts;
  readonly apps: readonly App[];
  readonly tokens: Tokens;
  readonly runners: Runners;
  readonly jobs: Jobs;
  readonly hooks: Hooks;
  readonly limits: RateLimits;
  /** Where the API is reached; known once it listens. */
  readonly address: { readonly api: string; readonly html: string };
}
