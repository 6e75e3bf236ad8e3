import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { providerIDScheme } from '@minifleet/api/names';
import { type Client, findCondition, type KubeObject, keyOf, keyString, type Resource } from '@minifleet/kube/client';
import { MACHINE_NOT_FOUND, NAME_AMBIGUOUS } from './errors.ts';
import { machines } from './resources.ts';

export type { ScalewayAppleSiliconMachine };

/** Core's Machine, with what we read of it. */
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

/** All machines there, or everywhere. */
export const listMachines = async (
  client: Client,
  namespace: string | undefined,
): Promise<readonly ScalewayAppleSiliconMachine[]> =>
  (await client.list(machines, namespace === undefined ? {} : { namespace })).items;

export interface NameQuery {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The machine of that name, or whose Machine bears it; undefined when there is none. */
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

/** Core's Machine that owns it. */
export const ownerOf = ({ metadata }: ScalewayAppleSiliconMachine) =>
  metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'Machine' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );

/** Server id of the host it holds. */
export const hostOf = ({ spec }: ScalewayAppleSiliconMachine): string | undefined =>
  spec.claimRef?.name ?? parseProviderID(spec.providerID)?.id;

/** `scw-applesilicon://fr-par-1/8f14…`; undefined for anything else. */
export function parseProviderID(text: string | undefined): { readonly zone: string; readonly id: string } | undefined {
  const [scheme, zone = '', id = ''] = (text ?? '').split(/:\/\/|\//);
  return scheme === providerIDScheme && zone !== '' && id !== '' ? { zone, id } : undefined;
}

export const nameOf = (object: KubeObject): string => keyString(keyOf(object));

/** For the end of a sentence. */
export const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` in ${namespace}`;

/** `HostClaimed NoHostAvailable: …`, in the words of a condition; undefined unless it has this status. */
export function conditionText(object: Parameters<typeof findCondition>[0], type: string, status: 'True' | 'False') {
  const condition = findCondition(object, type);
  if (condition?.status !== status) return undefined;
  return condition.message === '' ? condition.reason : `${condition.reason}: ${condition.message}`;
}
