import { type InfraMachine, type MacHost, macHost } from '@minifleet/api';
import type { Client } from '@minifleet/kube';

/**
 * Relation of a machine to a host. `held`: the machine holds it. `later`: it holds it in a later epoch than spec.claimRef says, because a
 * provider crashed between the two writes. `moved`: it held it before clusterctl move gave the machine another UID.
 */
export type HostHold =
  | { readonly kind: 'held' | 'later' | 'moved' }
  | { readonly kind: 'not held'; readonly reason: 'ClaimConflict' | 'ClaimLost'; readonly why: string };

type Holder = Pick<InfraMachine, 'metadata' | 'spec' | 'status'>;

export function judgeHold(host: MacHost | undefined, { metadata, spec }: Holder, clusterId: string): HostHold {
  const { claimRef } = spec;
  if (!host)
    return lost(claimRef?.name ? `the MacHost ${claimRef.name} no longer exists` : 'spec.claimRef names no MacHost');
  const name = `the MacHost ${host.metadata.name}`;
  const { consumerRef, clusterID = clusterId, claimEpoch } = host.spec;
  if (!consumerRef) return lost(`${name} has no consumer`);
  if (consumerRef.namespace !== metadata.namespace || consumerRef.name !== metadata.name)
    return conflict(`${name} is held by ${consumerRef.namespace}/${consumerRef.name}`);
  const foreign = clusterID !== clusterId;
  if (consumerRef.uid !== metadata.uid) {
    // Without a claimRef that names the host, a machine of the same name in the same cluster is a new machine.
    if (foreign || claimRef?.name === host.metadata.name) return { kind: 'moved' };
    return conflict(`${name} is held by an earlier machine of the same name (UID ${consumerRef.uid})`);
  }
  // The same UID in another cluster: both were restored from one backup, and the other cluster may be active.
  if (foreign) return lost(`${name} belongs to the cluster ${clusterID}`);
  return { kind: claimEpoch > (claimRef?.epoch ?? claimEpoch) ? 'later' : 'held' };
}

const lost = (why: string): HostHold => ({ kind: 'not held', reason: 'ClaimLost', why });
const conflict = (why: string): HostHold => ({ kind: 'not held', reason: 'ClaimConflict', why });

export interface CurrentHold {
  readonly host: MacHost | undefined;
  readonly hold: HostHold;
}

/** A cache that does not show the claim yet must not make a machine lose its host: a bad result is confirmed by a read. */
export async function currentHold(
  client: Client,
  { machine, host }: { readonly machine: Holder; readonly host: MacHost | undefined },
  clusterId: string,
): Promise<CurrentHold> {
  const cached = judgeHold(host, machine, clusterId);
  const name = machine.spec.claimRef?.name ?? host?.metadata.name;
  if (cached.kind !== 'not held' || name === undefined) return { host, hold: cached };
  const now = await client.find(macHost.resource, { name });
  return { host: now, hold: judgeHold(now, machine, clusterId) };
}

/** Reason for which the host controller ended the hold of this machine; undefined if it did not. */
export function isReleasedFrom({ status }: MacHost, { metadata, spec }: Holder): string | undefined {
  const release = status?.lastRelease;
  if (!release || release.consumer !== `${metadata.namespace}/${metadata.name}`) return undefined;
  return release.epoch >= (spec.claimRef?.epoch ?? 1) ? release.reason : undefined;
}
