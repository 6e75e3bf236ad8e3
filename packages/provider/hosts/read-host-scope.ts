import { type InfraMachine, type MacHost, machineKindOf, machineKinds, names } from '@minifleet/api';
import { type Context, nodes } from '@minifleet/kube';
import type { Server, Vendor } from '@minifleet/vendors';
import { providerIDOf } from '../cluster-api/host-ids.ts';
import { clusters } from '../cluster-api/kinds.ts';
import type { MachineIndex, nodeIndexes } from '../cluster-api/machine-indexes.ts';
import type { HostScope } from './host-scope.ts';
import type { HostReconciler } from './reconcile-host.ts';

const BY_PROVIDER_ID: keyof typeof nodeIndexes = 'node-provider-id';
const BY_HOST: MachineIndex = 'machine-host';

/** Reads everything that a reconcile of a host needs: from the caches, and from the last list of the vendor. */
export async function readHostScope({ cache }: Context, host: MacHost, { lists }: HostReconciler): Promise<HostScope> {
  const { consumerRef, desired } = host.spec;
  const consumer = consumerOf(cache, host);
  const cluster = host.metadata.labels?.[names.clusterApi.clusterNameLabel];
  const { vendor, ...known } = lists.of(host);
  // A list may be older than the server, so a missing server is confirmed.
  const isListed = lists.isListed(host);
  const server = isListed && !known.outdated ? known.server : await serverOf(host, vendor);
  return {
    host,
    consumer,
    others: machineKinds
      .flatMap(({ resource }) => cache(resource).by(BY_HOST, host.metadata.name))
      .filter(({ metadata }) => metadata.uid !== consumerRef?.uid),
    cluster:
      cluster === undefined
        ? undefined
        : cache(clusters).get({ namespace: consumerRef?.namespace ?? '', name: cluster }),
    registered: cache(nodes).by(BY_PROVIDER_ID, providerIDOf(host)),
    node: desired && cache(nodes).get({ name: desired.nodeName }),
    server,
    listed: isListed || server !== undefined,
    vendor,
  };
}

/** A machine of the same name with another UID is another machine. */
function consumerOf(cache: Context['cache'], { spec: { consumerRef } }: MacHost): InfraMachine | undefined {
  const kind = consumerRef && machineKindOf(consumerRef);
  const machine = kind && cache(kind.resource).get(consumerRef);
  return machine?.metadata.uid === consumerRef?.uid ? machine : undefined;
}

const serverOf = async ({ spec: { source } }: MacHost, vendor: Vendor | undefined): Promise<Server | undefined> =>
  vendor && source.scaleway && (await vendor.server({ zone: source.scaleway.zone, id: source.scaleway.serverID }));
