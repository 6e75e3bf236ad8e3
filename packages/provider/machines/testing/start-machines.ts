import type { FakeClock } from '@minifleet/clock/testing';
import { type Client, createMetrics, createRuntime, silentLog } from '@minifleet/kube';
import type { Claims } from '../../claims/claims.ts';
import type { ClaimsBench } from '../../claims/testing/claims-bench.ts';
import type { Vendors } from '../../claims/vendors.ts';
import type { ProviderSettings } from '../../program/settings.ts';
import { addMachineController } from '../machine-controller.ts';
import type { MachineParts } from '../parts.ts';
import type { Phase } from '../phase.ts';
import { releasePhases } from '../release-phases.ts';
import { type FakeRunners, fakeParts, fakeRunners } from './fake-parts.ts';
import { type FakeWork, fakeWork } from './fake-work.ts';
import { PHASES } from './phases.ts';
import { settings } from './settings.ts';

export interface StartOptions {
  readonly phases?: readonly Phase[];
  readonly settings?: Partial<ProviderSettings>;
  /** In the place of the real ones. */
  readonly claims?: Partial<Claims>;
  readonly client?: Client;
  readonly vendors?: Vendors;
}

export interface StartedMachines {
  readonly work: FakeWork;
  readonly runners: FakeRunners;
  readonly parts: MachineParts;
  /** What was done to credentials, tokens, runners and jobs, in order. */
  readonly effects: string[];
  stop(): Promise<void>;
}

/** One more provider of machines, as a new process: with caches and jobs of its own. */
export async function startMachines(base: ClaimsBench, options: StartOptions = {}): Promise<StartedMachines> {
  const { vendors = base.vendors } = options;
  const { clock, events } = base;
  const runtime = createRuntime({
    ...{ name: 'test.dev/provider', identity: 'one', client: options.client ?? base.api.client, clock },
    ...{ log: silentLog, metrics: createMetrics() },
  });
  const { client } = runtime;
  const effects: string[] = [];
  const work = fakeWork(effects);
  const runners = fakeRunners(effects);
  const parts: MachineParts = {
    ...fakeParts(effects),
    ...{ client, clock, events, vendors, work, runners },
    settings: { ...settings, ...options.settings },
    claims: { ...(await base.provider({ client, vendors })), ...options.claims },
  };
  addMachineController(runtime, { parts, phases: options.phases ?? PHASES, release: releasePhases });
  const end = new AbortController();
  const running = runtime.run(end.signal);
  return {
    ...{ work, runners, parts, effects },
    async stop() {
      end.abort();
      await settleAll(clock);
      await running;
    },
  };
}

/** Until passes that wake each other have come to rest. */
export async function settleAll(clock: FakeClock): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await clock.settle();
}
