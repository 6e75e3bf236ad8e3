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

/** Host that the user named. */
export interface FoundHost {
  /** Server id, which is the name of its claim. */
  readonly id: string;
  /** Zone from the claim, the machine or the Node; undefined if only the server id is known. */
  readonly zone: string | undefined;
  readonly claim: HostClaim | undefined;
}

/** Finds a host by server id (the name of its HostClaim), machine name or Node name. */
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

/** Returns the server id of the machine's host, or throws if the machine has no host. */
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
