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
import { hostClaims, machineDeployments, machines, runnerPools } from '../cluster/resources.ts';
import type { GetRequest } from './get-command.ts';
import type { ListedKind, ListedObjects, ResourceListing } from './listing.ts';

export const RESOURCES: Readonly<Record<ListedKind, Resource<KubeObject>>> = {
  machines,
  nodes,
  claims: hostClaims,
  pods,
  pools: runnerPools,
  deployments: machineDeployments,
  registrations: secrets,
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
  { sources }: ResourceListing,
  request: GetRequest,
): Promise<ListedObjects> {
  const [first, ...others] = sources;
  const [chosen, ...rest] = await Promise.all([
    client.list(RESOURCES[first], selectionOf(request)),
    ...others.map(name => listAll(client, RESOURCES[name], lookedUp(name, request))),
  ]);
  const read = [[first, chosen.items], ...others.map((name, index) => [name, rest[index]?.items ?? []])];
  return { ...NOTHING, ...(Object.fromEntries(read) as Partial<ListedObjects>) };
}

export const NOTHING: ListedObjects = {
  machines: [],
  nodes: [],
  claims: [],
  pods: [],
  pools: [],
  deployments: [],
  registrations: [],
};
