import { type HostClaim, serverIDPattern } from '@minifleet/api';
import { type Client, nodes } from '@minifleet/kube/client';
import { HOST_NOT_FOUND, MACHINE_WITHOUT_HOST } from './errors.ts';
import {
  conditionText,
  findMachine,
  hostOf,
  inNamespace,
  type NameQuery,
  nameOf,
  parseProviderID,
  type ScalewayAppleSiliconMachine,
} from './machines.ts';
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
export async function findHost(client: Client, named: NameQuery): Promise<FoundHost> {
  const place = await locateHost(client, named);
  if (!place) throw HOST_NOT_FOUND({ name: named.name, where: inNamespace(named.namespace) });
  const claim = await client.find(hostClaims, { name: place.id });
  return { id: place.id, zone: claim?.spec.zone ?? place.zone, claim };
}

interface HostLocation {
  readonly id: string;
  readonly zone?: string;
}

async function locateHost(client: Client, named: NameQuery): Promise<HostLocation | undefined> {
  const id = named.name.toLowerCase();
  if (serverIDPattern.test(id)) return { id };
  const machine = await findMachine(client, named);
  if (machine) return { id: requireHost(machine), zone: machine.spec.zone };
  const node = await client.find(nodes, { name: named.name });
  return parseProviderID(node?.spec?.providerID);
}

/** The host a machine holds; one that holds none cannot be meant. */
export function requireHost(machine: ScalewayAppleSiliconMachine): string {
  const id = hostOf(machine);
  if (id === undefined) {
    throw MACHINE_WITHOUT_HOST({
      machine: nameOf(machine),
      why: conditionText(machine, 'HostClaimed', 'False') ?? 'not claimed yet',
    });
  }
  return id;
}
