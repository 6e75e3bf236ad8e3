import { isDeepStrictEqual } from 'node:util';
import { type DesiredHost, type InfraMachine, type MacHost, macHost, names } from '@minifleet/api';
import { type Clock, timestamp } from '@minifleet/clock';
import { type Client, deleting, isNotFound, retryOnConflict } from '@minifleet/kube';
import { providerIDOf } from '../cluster-api/host-ids.ts';

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
export function claimMacHost(deps: ClaimDeps, machine: InfraMachine, name: string): Promise<MacHost | undefined> {
  return editHost(deps.client, name, host => {
    const { consumerRef, clusterID, quarantine } = host.spec;
    // The response to an earlier write of this machine may have been lost.
    if (consumerRef?.uid === machine.metadata.uid) return 'unchanged';
    if (consumerRef || (clusterID !== undefined && clusterID !== deps.clusterId)) return undefined;
    if (deleting(host) || quarantine) return undefined;
    const shown = host.status?.vendorName;
    const originalName = shown === machine.metadata.name ? host.spec.originalName : shown;
    return withConsumer(deps, machine, { ...host, spec: { ...host.spec, ...(originalName ? { originalName } : {}) } });
  });
}

/** Takes over a host after clusterctl move: the same machine under a new UID, in this cluster. One such write wins an epoch. */
export function takeOverMacHost(deps: ClaimDeps, machine: InfraMachine, moved: MacHost): Promise<MacHost | undefined> {
  return editHost(deps.client, moved.metadata.name, host =>
    host.spec.consumerRef?.uid === moved.spec.consumerRef?.uid ? withConsumer(deps, machine, host) : undefined,
  );
}

/** Updates the desired configuration of a host that the machine holds, and its release. Writes only changes. */
export function renderMacHost(
  { client, clusterId }: ClaimDeps,
  machine: InfraMachine,
  name: string,
  changes: Partial<Pick<MacHost['spec'], 'desired' | 'release'>>,
): Promise<MacHost | undefined> {
  return editHost(client, name, host => {
    const { consumerRef, clusterID } = host.spec;
    if (consumerRef?.uid !== machine.metadata.uid || clusterID !== clusterId) return undefined;
    const spec = { ...host.spec, ...changes };
    return isDeepStrictEqual(spec, host.spec) ? 'unchanged' : { ...host, spec };
  });
}

/** Configuration that the machine requests. The providerID is known with the host and never changes during a hold. */
export function desiredHost({ metadata, spec }: InfraMachine, host: MacHost): DesiredHost {
  const { fleetName, hostCPU, hostMemoryMB, ghActionsRunner, os } = spec;
  return {
    nodeName: metadata.name,
    providerID: spec.providerID ?? providerIDOf(host),
    ...(os === undefined ? {} : { os }),
    ...(fleetName ? { fleet: fleetName } : {}),
    ...(hostCPU === undefined ? {} : { hostCPU }),
    ...(hostMemoryMB === undefined ? {} : { hostMemoryMB }),
    ...(ghActionsRunner === undefined ? {} : { ghActionsRunner }),
  };
}

export const isSameDesired = (one: DesiredHost, other: DesiredHost | undefined): boolean =>
  isDeepStrictEqual(one, other);

/** Label and time show which Cluster the machine belongs to: a younger Cluster of the same name is another one. */
function withConsumer({ clock, clusterId }: ClaimDeps, machine: InfraMachine, host: MacHost): MacHost {
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
      // Greater than every epoch in which the machine may have held the host before the object was lost and created again.
      claimEpoch: Math.max(spec.claimEpoch, machine.spec.claimRef?.epoch ?? 0) + 1,
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
