import { type InfraMachine, macHost } from '@minifleet/api';
import { type Client, keyOf, keyString } from '@minifleet/kube';
import { MACHINE_CLAIM_LOST } from './errors.ts';

/**
 * Throws MACHINE_CLAIM_LOST unless the MacHost, read from the API server, is held by the machine in the epoch of its claimRef. A certificate
 * for a machine that lost its host would let the host act as the Node of another one.
 */
export async function fenceMachine(client: Client, machine: InfraMachine, clusterId: string): Promise<void> {
  const { claimRef } = machine.spec;
  const host = claimRef?.name === undefined ? undefined : await client.find(macHost.resource, { name: claimRef.name });
  const { consumerRef, claimEpoch, clusterID } = host?.spec ?? {};
  const held = consumerRef?.uid === machine.metadata.uid && clusterID === clusterId && claimEpoch === claimRef?.epoch;
  if (held) return;
  const holder = consumerRef ? `${consumerRef.namespace}/${consumerRef.name} in epoch ${claimEpoch}` : 'no machine';
  const why = host ? `${holder} holds the MacHost ${host.metadata.name}` : 'its MacHost does not exist';
  throw MACHINE_CLAIM_LOST({ machine: keyString(keyOf(machine)), why });
}
