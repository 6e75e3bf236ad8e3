import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAccounts } from './accounts.ts';
import { createApp, createTokens } from './auth/tokens.ts';

import { createTimers, type GithubState } from './github-state.ts';
import type { Job, QueuedJob } from './jobs/job.ts';
import { duplicateStarts, Jobs, jobQueueRoutes } from './jobs/jobs.ts';
import type { OpenApiCheck } from './openapi/published-check.ts';
import { defaultBehaviour, type GithubOptions } from './options.ts';

import { RateLimits } from './rest/rate-limits.ts';
import { restRoutes } from './rest/rest-routes.ts';
import { createRestServer } from './rest/rest-server.ts';
import {
  type RegistrationResult,
  type RunnerRegistration,
  registerRunner,
  unregisterRunner,
} from './runners/register-runner.ts';
import { runnerProtocolRoutes } from './runners/runner-protocol-routes.ts';
import { defaultRunnerReleases, RunnerReleases } from './runners/runner-releases.ts';
import { Runners } from './runners/runners.ts';
import { Sessions } from './runners/sessions.ts';
import { defaultScaleSetBehaviour } from './scale-set/behaviour.ts';
import { ScaleSets } from './scale-set/scale-sets.ts';
import { scaleSetRoutes } from './scale-set/set-routes.ts';

import { Hooks } from './webhooks/hooks.ts';

/** A running instance: an HTTP server for GitHub clients, and controls for scenarios. */
export interface Github {
  /** API base URL. `/api/v3`, which clients of an enterprise server use, is the same. */
  readonly url: string;
  readonly state: GithubState;
  /** The message service of scale sets, and its quirks. */
  readonly scaleSets: ScaleSets;
  queueJob(job: QueuedJob): Job;
  cancelJob(job: Job): void;
  /** Lets a held job end. */
  releaseJob(job: Job): void;
  /** Jobs that were started twice and single-job runners that started two; empty if all is correct. */
  doubles(): readonly string[];
  /** Deletes a runner as on the web page. Returns false while it is busy, or if the name is unknown. */
  deleteRunner(name: string): boolean;
  /** Simulates `config.sh`. Throws `RegistrationRefused` with its output. */
  registerRunner(registration: RunnerRegistration): RegistrationResult;
  /** Simulates `config.sh remove`. */
  unregisterRunner(registration: Pick<RunnerRegistration, 'url' | 'token' | 'name'>): boolean;
  /** Simulates `run.sh` with the `clientId` of its configuration. Throws `SessionRefused` with its output. */
  readonly connect: Sessions['open'];
  /** Differences between the traffic and the published description; empty unless `checkOpenApi`. */
  readonly deviations: readonly string[];
  close(): Promise<void>;
}

export async function startGithub(options: GithubOptions): Promise<Github> {
  const deviations: string[] = [];
  const check = options.checkOpenApi ? await loadCheck(options, deviations) : undefined;
  const forge = createForge(options, check);
  // Registered before the sessions, so that `queued` is announced before the resulting `in_progress`.
  forge.jobs.onChange((job, action) => forge.hooks.announce(job, action));
  const sessions = new Sessions(forge);
  const scaleSets = new ScaleSets(forge, { ...defaultScaleSetBehaviour(), ...options.scaleSets }, () =>
    sessions.offer(),
  );
  const routes = [...jobQueueRoutes, ...restRoutes, ...runnerProtocolRoutes(sessions), ...scaleSetRoutes(scaleSets)];
  const closing = new AbortController();
  const server = createRestServer(() => ({ forge, routes, check }), closing.signal);
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  forge.address.api = `http://${address}:${port}`;
  return {
    url: forge.address.api,
    state: forge,
    scaleSets,
    deviations,
    queueJob: job => forge.jobs.queue(job),
    cancelJob: job => forge.jobs.cancel(job),
    releaseJob: job => forge.jobs.release(job),
    doubles: () => duplicateStarts(forge.jobs.all),
    deleteRunner(name) {
      const runner = forge.runners.all.find(each => each.name === name);
      return runner !== undefined && forge.runners.remove(runner);
    },
    registerRunner: registration => registerRunner(forge, registration),
    unregisterRunner: registration => unregisterRunner(forge, registration),
    connect: (clientId, greeting) => sessions.open(clientId, greeting),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      forge.hooks.close();
      forge.timers.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Loaded only if enabled: the description and its validator cost a quarter of a second and much memory. */
async function loadCheck({ deps }: GithubOptions, deviations: string[]): Promise<OpenApiCheck> {
  const { createPublishedCheck } = await import('./openapi/published-check.ts');
  return createPublishedCheck(text => {
    deviations.push(text);
    deps.journal.add('github', 'not as published', text);
  });
}

/** `address.api` is set once the server listens. */
function createForge(
  options: GithubOptions,
  check: OpenApiCheck | undefined,
): GithubState & { readonly address: { api: string } } {
  const { deps } = options;
  const world = { ...deps, chance: deps.chance.stream('github') };
  const behaviour = { ...defaultBehaviour, ...options.behaviour };
  const timers = createTimers(world.clock);
  const accounts = createAccounts(options.organizations);
  const apps = options.apps.map(app => createApp(app, accounts));
  const address = { api: '', html: 'https://github.com' };
  return {
    world,
    behaviour,
    timers,
    accounts,
    apps,
    address,
    tokens: createTokens(world, behaviour),
    runners: new Runners({ world, behaviour, timers }),
    releases: new RunnerReleases(world.clock, { ...defaultRunnerReleases, ...options.runnerReleases }),
    jobs: new Jobs({ world, behaviour, timers, accounts }),
    hooks: new Hooks({ world, apps, address, hooks: options.hooks ?? [], check }),
    limits: new RateLimits(world, behaviour),
  };
}
