import { seconds } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import { type Client, createMetrics, createRuntime, type EventNote, silentLog } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { Vendor } from '@minifleet/vendors';
import type { ProviderSettings } from '../../settings/settings.ts';
import { discoveryController } from '../discovery-controller.ts';
import { addHostController } from '../host-controller.ts';
import type { HandlerDeps } from '../host-scope.ts';
import type { HostJobs } from '../jobs/host-jobs.ts';
import { createServerLists } from '../server-lists.ts';
import type { FakeServices } from './fake-services.ts';

export interface StartHostsOptions {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly vendor: Vendor;
  readonly services: FakeServices;
  readonly jobs: HostJobs;
  readonly clusterId: string;
  readonly settings: ProviderSettings;
  readonly onEvent: (event: EventNote) => void;
  readonly onReclaim: () => void;
  readonly sshAddress: HandlerDeps['sshAddress'];
}

export interface StartedHosts {
  stop(): Promise<void>;
}

/** Runs the controllers of hosts as one provider process. */
export function startHosts(options: StartHostsOptions): StartedHosts {
  const { client, clock, vendor, services, jobs, clusterId, settings, onEvent, onReclaim } = options;
  const runtime = createRuntime({
    ...{ name: 'test', identity: 'test', client, clock },
    log: silentLog,
    metrics: createMetrics(),
  });
  const lists = createServerLists(vendor);
  let wake: (host: string) => void = () => undefined;
  addHostController(runtime, {
    deps: {
      ...{ client, clock, settings, clusterId, jobs, onReclaim },
      log: silentLog,
      events: { record: onEvent, flush: async () => undefined },
      credentials: services.credentials,
      forge: services.forge,
      kubeconfig: async () => new Secret('kubeconfig', '{}'),
      sshAddress: options.sshAddress,
    },
    lists,
    onStart(started) {
      wake = started;
    },
  });
  runtime.add(discoveryController({ lists, settings, wake: name => wake(name), onReport: () => undefined }));
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  return {
    async stop() {
      stop.abort();
      await clock.advance(seconds(60));
      await running;
    },
  };
}
