import { type DesiredHost, type MacHost, macHost, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';
import { type Client, deleting, isNotFound, retryOnConflict } from '@minifleet/kube';

type Machine = ScalewayAppleSiliconMachine;
const { resource } = macHost;

export interface ClaimDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** UID of the namespace kube-system. */
  readonly clusterId: string;
}

/**
 * Claims a free host for the machine in one conditional write: consumer, epoch and desired configuration. Undefined if another machine was
 * faster or the host is not free any more.
 */
export function claimMacHost(deps: ClaimDeps, machine: Machine, name: string): Promise<MacHost | undefined> {
  return editHost(deps.client, name, host => {
    const { consumerRef, clusterID, quarantine } = host.spec;
    // The response to an earlier write of this machine may have been lost.
    if (consumerRef?.uid === machine.metadata.uid) return 'unchanged';
    if (consumerRef || (clusterID !== undefined && clusterID !== deps.clusterId)) return undefined;
    if (deleting(host) || quarantine) return undefined;
    const originalName = host.status?.vendorName;
    return withConsumer(deps, machine, { ...host, spec: { ...host.spec, ...(originalName ? { originalName } : {}) } });
  });
}

/** Takes over a host after clusterctl move: the same machine under a new UID, in this cluster. One such write wins an epoch. */
export function takeOverMacHost(deps: ClaimDeps, machine: Machine, moved: MacHost): Promise<MacHost | undefined> {
  return editHost(deps.client, moved.metadata.name, host =>
    host.spec.consumerRef?.uid === moved.spec.consumerRef?.uid ? withConsumer(deps, machine, host) : undefined,
  );
}

/** Updates the desired configuration of a host that the machine holds, and its release. Writes only changes. */
export function renderMacHost(
  { client, clusterId }: ClaimDeps,
  machine: Machine,
  name: string,
  changes: Partial<Pick<MacHost['spec'], 'desired' | 'release'>>,
): Promise<MacHost | undefined> {
  return editHost(client, name, host => {
    const { consumerRef, clusterID } = host.spec;
    if (consumerRef?.uid !== machine.metadata.uid || clusterID !== clusterId) return undefined;
    const spec = { ...host.spec, ...changes };
    return JSON.stringify(spec) === JSON.stringify(host.spec) ? 'unchanged' : { ...host, spec };
  });
}

/** Configuration that the machine requests. The providerID is known with the host. */
export function desiredHost({ metadata, spec }: Machine, host: MacHost): DesiredHost {
  const { fleetName, hostCPU, hostMemoryMB, ghActionsRunner, os } = spec;
  return {
    nodeName: metadata.name,
    providerID: providerIDOf(host),
    os,
    ...(fleetName ? { fleet: fleetName } : {}),
    ...(hostCPU === undefined ? {} : { hostCPU }),
    ...(hostMemoryMB === undefined ? {} : { hostMemoryMB }),
    ...(ghActionsRunner === undefined ? {} : { ghActionsRunner }),
  };
}

export function providerIDOf({ metadata, spec }: MacHost): string {
  const { scaleway } = spec.source;
  return scaleway ? `${names.providerIDScheme}://${scaleway.zone}/${scaleway.serverID}` : `machost://${metadata.name}`;
}

/** Label and time show which Cluster the machine belongs to: a younger Cluster of the same name is another one. */
function withConsumer({ clock, clusterId }: ClaimDeps, machine: Machine, host: MacHost): MacHost {
  const { clusterNameLabel } = names.clusterApi;
  const { namespace = '', name, uid = '', labels } = machine.metadata;
  const cluster = labels?.[clusterNameLabel];
  const [apiGroup = ''] = machine.apiVersion.split('/');
  const { metadata, spec } = host;
  return {
    ...host,
    metadata: {
      ...metadata,
      finalizers: [...new Set([...(metadata.finalizers ?? []), names.finalizers.macHost])],
      labels: { ...metadata.labels, ...(cluster === undefined ? {} : { [clusterNameLabel]: cluster }) },
      annotations: { ...metadata.annotations, [names.annotations.heldSince]: timestamp(clock.now()) },
    },
    spec: {
      ...spec,
      consumerRef: { apiGroup, kind: machine.kind, namespace, name, uid },
      clusterID: clusterId,
      claimEpoch: spec.claimEpoch + 1,
      desired: desiredHost(machine, host),
    },
  };
}

/** Edits a host as it is now, again after a conflict. `undefined` leaves it alone and returns undefined; `unchanged` returns it as it is. */
function editHost(
  client: Client,
  name: string,
  edit: (host: MacHost) => MacHost | 'unchanged' | undefined,
): Promise<MacHost | undefined> {
  return retryOnConflict(async () => {
    const host = await client.find(resource, { name });
    const edited = host && edit(host);
    if (edited === 'unchanged') return host;
    if (!edited) return undefined;
    try {
      return await client.update(resource, edited);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  });
}
