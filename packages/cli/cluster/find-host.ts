import type { InfraMachine, MacHost } from '@minifleet/api';
import { type Client, nodes } from '@minifleet/kube/client';
import { HOST_NOT_FOUND, MACHINE_WITHOUT_HOST } from './errors.ts';
import { conditionText, findMachine, hostOf, hostOfNode, inNamespace, type NameQuery, nameOf } from './machines.ts';
import { macHosts } from './resources.ts';

/** Finds a MacHost by its name (the server id of a Scaleway host), or by the name of its machine or Node. */
export async function findHost(client: Client, named: NameQuery): Promise<MacHost> {
  const found =
    (await client.find(macHosts, { name: named.name.toLowerCase() })) ??
    (await findByMachineOrNode(client, named)) ??
    (await findByConsumer(client, named));
  if (!found) throw HOST_NOT_FOUND({ name: named.name, where: inNamespace(named.namespace) });
  return found;
}

async function findByMachineOrNode(client: Client, named: NameQuery): Promise<MacHost | undefined> {
  const machine = await findMachine(client, named);
  const node = machine ? undefined : await client.find(nodes, { name: named.name });
  const name = machine ? requireHost(machine) : node && hostOfNode(node);
  return name === undefined ? undefined : client.find(macHosts, { name });
}

/** Finds the host of a machine that no longer exists. */
async function findByConsumer(client: Client, { name, namespace }: NameQuery): Promise<MacHost | undefined> {
  const { items } = await client.list(macHosts);
  return items.find(
    ({ spec }) =>
      spec.consumerRef?.name === name && (namespace === undefined || spec.consumerRef.namespace === namespace),
  );
}

/** Returns the name of the machine's MacHost, or throws if the machine has no host. */
export function requireHost(machine: InfraMachine): string {
  const name = hostOf(machine);
  if (name === undefined) {
    throw MACHINE_WITHOUT_HOST({
      machine: nameOf(machine),
      why: conditionText(machine, 'HostClaimed', 'False') ?? 'not claimed yet',
    });
  }
  return name;
}
