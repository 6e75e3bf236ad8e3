import { type HostRelease, type MacHost, macHost, names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { type Client, isNotFound, retryOnConflict } from '@minifleet/kube';
import { whyNotHeld } from './fence.ts';

/**
 * Records the release in the status. True if it was recorded before: then the hold can end. The machine reads the reason after its hold
 * has ended, and a crash in between must not lose it.
 */
export function isReleaseRecorded(host: MacHost, reason: HostRelease['reason'], now: number): boolean {
  const { claimEpoch, consumerRef } = host.spec;
  if (host.status?.lastRelease?.epoch === claimEpoch) return true;
  const consumer = `${consumerRef?.namespace}/${consumerRef?.name}`;
  host.status = { ...host.status, lastRelease: { epoch: claimEpoch, consumer, reason, time: timestamp(now) } };
  return false;
}

/**
 * Ends the hold of a machine in one write, so that no other machine sees the host half released. Does nothing if the host has another
 * consumer or epoch by now. With `quarantine`, the host is never free in between.
 */
export function freeHost(
  client: Client,
  host: MacHost,
  { clusterId, quarantine }: { readonly clusterId: string; readonly quarantine?: MacHost['spec']['quarantine'] },
): Promise<void> {
  return retryOnConflict(async () => {
    const now = await client.find(macHost.resource, { name: host.metadata.name });
    if (!now || whyNotHeld(host, now, clusterId) !== undefined) return;
    try {
      await client.update(macHost.resource, freed(now, quarantine));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
}

/** Without the finalizer, because only a held host needs one, and without clusterID, because a free host belongs to no cluster. */
function freed({ metadata, spec, ...rest }: MacHost, quarantine: MacHost['spec']['quarantine']): MacHost {
  const { consumerRef: _consumer, clusterID: _cluster, desired: _desired, release: _release, ...others } = spec;
  const { [names.clusterApi.clusterNameLabel]: _label, ...labels } = metadata.labels ?? {};
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels,
      finalizers: (metadata.finalizers ?? []).filter(one => one !== names.finalizers.macHost),
    },
    spec: { ...others, ...(quarantine === undefined ? {} : { quarantine }) },
  };
}
