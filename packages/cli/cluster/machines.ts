import type { HostStep, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { providerIDScheme } from '@minifleet/api/names';
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
import { machines } from './resources.ts';

export type { ScalewayAppleSiliconMachine };

/** Cluster API Machine, with the fields that commands read. */
export interface OwnerMachine extends KubeObject {
  status?: { conditions?: NonNullable<NonNullable<ScalewayAppleSiliconMachine['status']>['conditions']> };
}

export const ownerMachines: Resource<OwnerMachine> = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Machine',
  plural: 'machines',
  scope: 'Namespaced',
};

/** Lists machines in one namespace, or in all. */
export const listMachines = async (
  client: Client,
  namespace: string | undefined,
): Promise<readonly ScalewayAppleSiliconMachine[]> =>
  (await client.list(machines, namespace === undefined ? {} : { namespace })).items;

export interface NameQuery {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Finds a machine by its name or the name of its Cluster API Machine. */
export async function findMachine(
  client: Client,
  { name, namespace }: NameQuery,
): Promise<ScalewayAppleSiliconMachine | undefined> {
  const all = await listMachines(client, namespace);
  const found = all.filter(machine => machine.metadata.name === name || ownerOf(machine)?.name === name);
  if (found.length > 1) throw NAME_AMBIGUOUS({ kind: 'machines', name, found: found.map(nameOf).join(', ') });
  return found[0];
}

export async function getMachine(client: Client, named: NameQuery): Promise<ScalewayAppleSiliconMachine> {
  const found = await findMachine(client, named);
  if (!found) throw MACHINE_NOT_FOUND({ name: named.name, where: inNamespace(named.namespace) });
  return found;
}

/** Returns the owner reference to the Cluster API Machine. */
export const ownerOf = ({ metadata }: ScalewayAppleSiliconMachine) =>
  metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'Machine' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );

/** Returns the server id of the machine's host. */
export const hostOf = ({ spec }: ScalewayAppleSiliconMachine): string | undefined =>
  spec.claimRef?.name ?? parseProviderID(spec.providerID)?.id;

/** Parses `scw-applesilicon://fr-par-1/8f14…`; returns undefined for any other text. */
export function parseProviderID(text: string | undefined): { readonly zone: string; readonly id: string } | undefined {
  const [scheme, zone = '', id = ''] = (text ?? '').split(/:\/\/|\//);
  return scheme === providerIDScheme && zone !== '' && id !== '' ? { zone, id } : undefined;
}

/** Returns the server id of a Node's host. */
export const hostOfNode = (node: Node): string | undefined => parseProviderID(node.spec?.providerID)?.id;

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
