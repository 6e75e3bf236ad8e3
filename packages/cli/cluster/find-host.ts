import { type HostClaim, serverIDPattern } from '@minifleet/api';
import { type Client, nodes } from '@minifleet/kube/client';
import { HOST_NOT_FOUND, MACHINE_WITHOUT_HOST } from './errors.ts';
import { findMachine, hostOf, type Named, nameOf, parseProviderID, placeOf, type Samm, saying } from './machines.ts';
import { hostClaims } from './resources.ts';

/** A host as a person named it. */
export interface FoundHost {
  /** Server id, which is the name of its claim. */
  readonly id: string;
  /** Where it is known: a claim, a machine or a Node says so, a bare server id does not. */
  readonly zone: string | undefined;
  readonly claim: HostClaim | undefined;
}

/** By server id (the name of its HostClaim), by the name of its machine, or by that of its Node. */
export async function findHost(client: Client, named: Named): Promise<FoundHost> {
  const place = await placeNamed(client, named);
  if (!place) throw HOST_NOT_FOUND({ name: named.name, where: placeOf(named.namespace) });
  const claim = await client.find(hostClaims, { name: place.id });
  return { id: place.id, zone: claim?.spec.zone ?? place.zone, claim };
}

interface Place {
  readonly id: string;
  readonly zone?: string;
}

async function placeNamed(client: Client, named: Named): Promise<Place | undefined> {
  const id = named.name.toLowerCase();
  if (serverIDPattern.test(id)) return { id };
  const samm = await findMachine(client, named);
  if (samm) return { id: heldBy(samm), zone: samm.spec.zone };
  const node = await client.find(nodes, { name: named.name });
  return parseProviderID(node?.spec?.providerID);
}

/** The host a machine holds; one that holds none cannot be meant. */
export function heldBy(samm: Samm): string {
  const id = hostOf(samm);
  if (id === undefined) {
    throw MACHINE_WITHOUT_HOST({
      machine: nameOf(samm),
      why: saying(samm, 'HostClaimed', 'False') ?? 'not claimed yet',
    });
  }
  return id;
}
