import type { Client } from '@minifleet/kube';
import type { ProviderVersion } from '../../../e2e/testing/earlier-version.ts';
import { openFleetCluster } from '../../../e2e/testing/fleet-cluster.ts';
import { createFleetFile } from '../../../e2e/testing/fleet-file.ts';
import { earlierFleetFile, installEarlierVersion } from '../../../e2e/testing/install-earlier-version.ts';
import { startProvider } from '../../../e2e/testing/provider-process.ts';
import { readProcessUsage } from '../../agent/host/processes.ts';
import { type ProviderMacs, startMacs } from '../macs/start-macs.ts';
import { FLEET } from '../names.ts';
import { type MeteredProvider, startMetered } from './provider-meter.ts';

/** A cluster with unmodified Cluster API, a pool of Macs, and the prerequisites of the provider. */
export interface ProviderBench extends AsyncDisposable {
  readonly admin: Client;
  readonly macs: ProviderMacs;
  startProvider(flags?: readonly string[]): Promise<MeteredProvider>;
  /** Creates a fleet with one machine per Mac. */
  createFleet(): Promise<void>;
  /** CPU time of the cluster components so far. */
  clusterSeconds(): number;
}

/** The Kubernetes default, because leases are late on a busy machine. */
const GRACE_PERIOD = '50s';

export async function openBench(machines: number, version: ProviderVersion): Promise<ProviderBench> {
  await using stack = new AsyncDisposableStack();
  const macs = stack.use(await startMacs(machines));
  const { world } = macs;
  // The same for both versions.
  const fleetFile = await earlierFleetFile((await createFleetFile(macs.directory)).path);
  const fleet = await openFleetCluster({ world, gateway: '127.0.0.1', fleetFile, gracePeriod: GRACE_PERIOD });
  stack.defer(() => fleet.stop());
  if (version.name === 'baseline') await installEarlierVersion(fleet, version);
  const { components, kubeconfigs } = fleet.cluster;
  const provider = { root: version.root, kubeconfig: kubeconfigs.admin.path, world };
  const used = (pid: number | undefined): number =>
    pid === undefined ? 0 : readProcessUsage(pid).processorTime / 1_000;
  const opened = stack.move();
  return {
    admin: fleet.admin,
    macs,
    startProvider: (flags = []) =>
      startMetered(more => startProvider({ ...provider, flags: [`--fleet-file=${fleetFile}`, ...flags, ...more] })),
    createFleet: () => fleet.createFleet({ name: FLEET, replicas: machines }),
    clusterSeconds: () => components.reduce((sum, { pid }) => sum + used(pid), 0),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
