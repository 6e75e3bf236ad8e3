import { type Client, type KubeObject, nodes, pods, type Resource } from '@minifleet/kube';
import { readAll } from '../cluster/reading.ts';
import { hostClaims, machineDeployments, machines, runnerPools } from '../cluster/resources.ts';
import type { GetRequest } from './get-command.ts';
import type { Listing, SourceName, Sources } from './listing.ts';

export const RESOURCES: Readonly<Record<SourceName, Resource<KubeObject>>> = {
  machines,
  nodes,
  claims: hostClaims,
  pods,
  pools: runnerPools,
  deployments: machineDeployments,
};

/** What the request chooses from; what is only looked up is taken whole, as far as the user may see it. */
export const selectionOf = ({ namespace, selector }: GetRequest) => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(selector === undefined ? {} : { labelSelector: selector }),
});

/** All lists at once: the slowest is what one waits for. */
export async function readSources(client: Client, { sources }: Listing, request: GetRequest): Promise<Sources> {
  const [first, ...others] = sources;
  const [chosen, ...lookedUp] = await Promise.all([
    client.list(RESOURCES[first], selectionOf(request)),
    ...others.map(name => readAll(client, RESOURCES[name])),
  ]);
  const read = [[first, chosen.items], ...others.map((name, index) => [name, lookedUp[index]?.items ?? []])];
  return { ...NOTHING, ...(Object.fromEntries(read) as Partial<Sources>) };
}

export const NOTHING: Sources = { machines: [], nodes: [], claims: [], pods: [], pools: [], deployments: [] };
