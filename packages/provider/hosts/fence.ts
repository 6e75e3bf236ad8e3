import { type MacHost, macHost } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import type { Client } from '@minifleet/kube';

export const HOST_CLAIM_LOST = defineError('HOST_CLAIM_LOST', {
  retry: { after: minutes(1) },
  reason: 'ClaimLost',
  text: '{host}: {machine} no longer holds the host in epoch {epoch} ({why}); the provider leaves the host alone',
});

/** Why the host, as it is now, is no longer held as `before` says; undefined if it is. */
export function whyNotHeld(before: MacHost, now: MacHost | undefined, clusterId: string): string | undefined {
  if (!now || now.metadata.uid !== before.metadata.uid) return 'the MacHost was deleted';
  const { consumerRef, claimEpoch, clusterID } = now.spec;
  if (!consumerRef) return 'it was released';
  if (clusterID !== clusterId) return `it belongs to the cluster ${clusterID}`;
  if (consumerRef.uid !== before.spec.consumerRef?.uid) return `${consumerRef.namespace}/${consumerRef.name} holds it`;
  return claimEpoch === before.spec.claimEpoch ? undefined : `it is in epoch ${claimEpoch}`;
}

/** Throws HOST_CLAIM_LOST unless the host, read from the API server, is still held as `host` says. Called before every effect. */
export async function fenceHost(client: Client, host: MacHost, clusterId: string): Promise<void> {
  const now = await client.find(macHost.resource, { name: host.metadata.name });
  const why = whyNotHeld(host, now, clusterId);
  if (why === undefined) return;
  const { namespace, name } = host.spec.consumerRef ?? {};
  throw HOST_CLAIM_LOST({
    host: host.metadata.name,
    machine: `${namespace}/${name}`,
    epoch: host.spec.claimEpoch,
    why,
  });
}
