import { macHost } from '@minifleet/api';
import { seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, createInformer, silentLog } from '@minifleet/kube';
import { openFleetCluster } from '../../../e2e/testing/fleet-cluster.ts';
import { createFleetFile } from '../../../e2e/testing/fleet-file.ts';
import { readProcessUsage } from '../../agent/host/processes.ts';
import { startChild } from '../../child/start-child.ts';
import { type MeteredProvider, startMetered } from '../measure/provider-meter.ts';
import { DISCOVERY } from '../names.ts';
import type { VendorCalls } from './calls.ts';

/** A cluster, and a vendor whose servers nothing has claimed. */
export interface DiscoveryBench extends AsyncDisposable {
  addServers(count: number): Promise<void>;
  /** Starts a provider that knows the pool of the servers. No machine names it. */
  startProvider(): Promise<MeteredProvider>;
  /** Resolves when that many MacHosts are Available. */
  awaitAvailable(count: number): Promise<void>;
  /** CPU time of the cluster components so far. */
  clusterSeconds(): number;
}

export async function openDiscoveryBench(): Promise<DiscoveryBench> {
  await using stack = new AsyncDisposableStack();
  const vendor = await startChild<VendorCalls>({ file: new URL('./vendor.ts', import.meta.url) });
  stack.defer(async () => {
    await vendor.ask('close').catch(() => undefined); // the process is stopped anyway
    await vendor.stop();
  });
  const addresses = await vendor.ask('addresses');
  const { sshAddressFile, directory } = addresses;
  const fleet = await openFleetCluster({
    // No fleet is created, so no key is used.
    world: { sshAddressFile, sshKeyFile: '', scaleway: { apiFor: () => addresses.vendor } },
    gateway: '127.0.0.1',
    fleetFile: (await createFleetFile(directory)).path,
  });
  stack.defer(() => fleet.stop());
  const hosts = watchHosts(fleet.admin);
  stack.use(hosts);
  const { components } = fleet.cluster;
  const used = (pid: number | undefined): number =>
    pid === undefined ? 0 : readProcessUsage(pid).processorTime / 1_000;
  const opened = stack.move();
  return {
    addServers: count => vendor.ask('addServers', count),
    startProvider: () =>
      startMetered(flags => fleet.startProvider([`--default-adopt-pool-prefix=${DISCOVERY.pool}`, ...flags])),
    async awaitAvailable(count) {
      const deadline = seconds(60 + count / 5);
      const what = `${count} Available MacHosts`;
      await eventually(() => hosts.available() >= count, { deadline, interval: seconds(0.1), what });
    },
    clusterSeconds: () => components.reduce((sum, { pid }) => sum + used(pid), 0),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function watchHosts(client: Client) {
  const stop = new AbortController();
  const informer = createInformer({ client, resource: macHost.resource, clock: systemClock, log: silentLog });
  const watching = informer.run(stop.signal);
  return {
    available: () => informer.cache.list().filter(({ status }) => status?.state === 'Available').length,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}
