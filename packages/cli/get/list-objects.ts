import { labels } from '@minifleet/api/names';
import {
  type Client,
  type KubeObject,
  nodes,
  pods,
  type Resource,
  type Selection,
  secrets,
} from '@minifleet/kube/client';
import { listAll } from '../cluster/list-all.ts';
import { macHosts, machineDeployments, machines, macMachines, runnerPools } from '../cluster/resources.ts';
import type { GetRequest } from './get-command.ts';
import type { ListedKind, ListedObjects, ResourceListing } from './listing.ts';

export const RESOURCES: Readonly<Record<ListedKind, readonly Resource<KubeObject>[]>> = {
  machines: [machines, macMachines],
  nodes: [nodes],
  hosts: [macHosts],
  pods: [pods],
  pools: [runnerPools],
  deployments: [machineDeployments],
  registrations: [secrets],
};

/** Selection of the listed objects. */
export const selectionOf = ({ namespace, selector }: GetRequest): Selection => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(selector === undefined ? {} : { labelSelector: selector }),
});

/** Selection of related objects: all that the user may list, and of Secrets only those of runners in the namespace. */
export const lookedUp = (name: ListedKind, { namespace }: GetRequest): Selection =>
  name === 'registrations'
    ? { ...(namespace === undefined ? {} : { namespace }), labelSelector: labels.runner, metadataOnly: true }
    : {};

/** Reads all lists concurrently. */
export async function listObjects(
  client: Client,
  { sources, required = [] }: ResourceListing,
  request: GetRequest,
): Promise<ListedObjects> {
  const [first, ...others] = sources;
  const [chosen, ...rest] = await Promise.all([
    listEach(RESOURCES[first], resource => client.list(resource, selectionOf(request))),
    ...others.map(name =>
      listEach(RESOURCES[name], resource => {
        const selection = lookedUp(name, request);
        return required.includes(name) ? client.list(resource, selection) : listAll(client, resource, selection);
      }),
    ),
  ]);
  const read = [[first, chosen], ...others.map((name, index) => [name, rest[index] ?? []])];
  return { ...NOTHING, ...(Object.fromEntries(read) as Partial<ListedObjects>) };
}

async function listEach(
  resources: readonly Resource<KubeObject>[],
  list: (resource: Resource<KubeObject>) => Promise<{ readonly items: readonly KubeObject[] }>,
): Promise<KubeObject[]> {
  return (await Promise.all(resources.map(list))).flatMap(({ items }) => items);
}

export const NOTHING: ListedObjects = {
  machines: [],
  nodes: [],
  hosts: [],
  pods: [],
  pools: [],
  deployments: [],
  registrations: [],
};
