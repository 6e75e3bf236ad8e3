import { macHost } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { type Client, createMetrics, createRuntime, type EventNote, silentLog } from '@minifleet/kube';
import type { Vendor } from '@minifleet/vendors';
import { discoveryController } from '../../hosts/discovery-controller.ts';
import { addHostController } from '../../hosts/host-controller.ts';
import { createServerLists } from '../../hosts/server-lists.ts';
import { converged, type FakeJobs, fakeJobs } from '../../hosts/testing/fake-jobs.ts';
import type { ProviderSettings } from '../../settings/settings.ts';
import { addMachineControllers } from '../machine-controller.ts';
import type { Phase } from '../phase.ts';
import { type FakeForge, fakeCredentials, fakeJoin } from './fakes.ts';
import { settings } from './settings.ts';

export interface StartOptions {
  readonly client: Client;
  readonly vendor: Vendor;
  readonly clock: Clock;
  readonly clusterId: string;
  readonly forge: FakeForge;
  /** Operations on credentials, tokens and runners, in order. */
  readonly effects: string[];
  readonly onEvent: (event: EventNote) => void;
  readonly settings?: Partial<ProviderSettings> | undefined;
  readonly phases?: readonly Phase[] | undefined;
}

export interface StartedControllers {
  readonly jobs: FakeJobs;
  /** Resolves after `abort`. */
  readonly running: Promise<void>;
  abort(): void;
}

/** The controllers of one provider process, with caches and jobs of its own. Jobs run until the test ends them. */
export function startControllers(options: StartOptions): StartedControllers {
  const { clock, clusterId, vendor, forge, effects, onEvent, phases } = options;
  const jobs = fakeJobs(clock);
  const runtime = createRuntime({
    ...{ name: 'test.dev/provider', identity: 'one', client: options.client, clock },
    ...{ log: silentLog, metrics: createMetrics() },
  });
  const deps = {
    client: runtime.client,
    clock,
    log: silentLog,
    events: { record: onEvent, flush: async () => undefined },
    settings: { ...settings, ...options.settings },
    clusterId,
    forge,
  };
  const join = fakeJoin(effects, clock);
  const hostCache = runtime.informer(macHost.resource, {}).cache;
  addMachineControllers(runtime, {
    deps: { ...deps, join, hosts: () => hostCache.list() },
    ...(phases ? { phases } : {}),
  });
  const lists = createServerLists(vendor);
  let wake = (_host: string): void => undefined;
  addHostController(runtime, {
    deps: {
      ...deps,
      jobs,
      credentials: fakeCredentials(effects),
      sshAddress: () => undefined,
      kubeconfig: async machine => (await join.material(machine, {} as never)).kubeconfig,
    },
    lists,
    onStart(started) {
      wake = started;
    },
  });
  runtime.add(
    discoveryController({
      lists,
      settings: deps.settings,
      wake: host => wake(host),
      onReport: () => undefined,
    }),
  );
  const end = new AbortController();
  const running = runtime.run(end.signal);
  return { jobs, running, abort: () => end.abort() };
}

/** Ends all running jobs with a host that matches its plan. */
export function endJobs(jobs: FakeJobs): void {
  for (const { host } of jobs.requests) {
    const { name } = host.metadata;
    if (jobs.of(name)?.state.kind === 'running') jobs.end(name, converged());
  }
}
