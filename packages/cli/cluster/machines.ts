import type { HostStep, InfraMachine, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { ownedProviderIDScheme, providerIDScheme } from '@minifleet/api/names';
import {
  type Client,
  findCondition,
  type KubeObject,
  keyOf,
  keyString,
  type Node,
  type Resource,
} from '@minifleet/kube/client';
import { MACHINE_NOT_FOUND, NAME_AMBIGUOUS } from './errors.ts';
import { machines, macMachines } from './resources.ts';

export type { InfraMachine, ScalewayAppleSiliconMachine };

/** Cluster API Machine, with the fields that commands read. */
export interface OwnerMachine extends KubeObject {
  status?: { conditions?: NonNullable<NonNullable<InfraMachine['status']>['conditions']> };
}

export const ownerMachines: Resource<OwnerMachine> = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Machine',
  plural: 'machines',
  scope: 'Namespaced',
};

/** Lists machines of both kinds in one namespace, or in all. */
export async function listMachines(client: Client, namespace: string | undefined): Promise<readonly InfraMachine[]> {
  const selection = namespace === undefined ? {} : { namespace };
  const lists = await Promise.all([client.list(machines, selection), client.list(macMachines, selection)]);
  return lists.flatMap<InfraMachine>(({ items }) => items);
}

export interface NameQuery {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Finds a machine by its name or the name of its Cluster API Machine. */
export async function findMachine(client: Client, { name, namespace }: NameQuery): Promise<InfraMachine | undefined> {
  const all = await listMachines(client, namespace);
  const found = all.filter(machine => machine.metadata.name === name || ownerOf(machine)?.name === name);
  if (found.length > 1) throw NAME_AMBIGUOUS({ kind: 'machines', name, found: found.map(nameOf).join(', ') });
  return found[0];
}

export async function getMachine(client: Client, named: NameQuery): Promise<InfraMachine> {
  const found = await findMachine(client, named);
  if (!found) throw MACHINE_NOT_FOUND({ name: named.name, where: inNamespace(named.namespace) });
  return found;
}

/** Returns the owner reference to the Cluster API Machine. */
export const ownerOf = ({ metadata }: InfraMachine) =>
  metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'Machine' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );

/** Returns the name of the machine's MacHost. */
export const hostOf = ({ spec }: InfraMachine): string | undefined =>
  spec.claimRef?.name ?? hostOfProviderID(spec.providerID);

/** Returns the MacHost in `scw-applesilicon://fr-par-1/8f14…` or `machost://mini-01`; undefined for any other text. */
function hostOfProviderID(text = ''): string | undefined {
  const [, scheme, host] = /^([a-z-]+):\/\/(?:.*\/)?([^/]+)$/.exec(text) ?? [];
  return scheme === providerIDScheme || scheme === ownedProviderIDScheme ? host : undefined;
}

/** Returns the name of a Node's MacHost. */
export const hostOfNode = (node: Node): string | undefined => hostOfProviderID(node.spec?.providerID);

export const nameOf = (object: KubeObject): string => keyString(keyOf(object));

/** Returns ` in <namespace>` for the end of a sentence. */
export const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` in ${namespace}`;

/** Returns `<reason>: <message>` of a condition; undefined if the condition has another status. */
export function conditionText(object: Parameters<typeof findCondition>[0], type: string, status: 'True' | 'False') {
  const condition = findCondition(object, type);
  if (condition?.status !== status) return undefined;
  return condition.message === '' ? condition.reason : `${condition.reason}: ${condition.message}`;
}

/** Groups steps that have the same state and message, in plan order. */
export const groupSteps = (steps: readonly HostStep[]): HostStep[][] => [
  ...Map.groupBy(steps, ({ state, message = '', reason = '' }) => `${state} ${message || reason}`).values(),
];
