import type { Clock } from '@minifleet/clock';
import {
  type Client,
  createInformer,
  events,
  type Informer,
  isForbidden,
  isNotFound,
  type KubeEvent,
  type KubeObject,
  type Node,
  nodes,
  type Resource,
  type Selection,
  silentLog,
} from '@minifleet/kube';
import { ownerMachines } from '../cluster/machines.ts';
import { machineDeployments, machines, runnerPools } from '../cluster/resources.ts';
import { untilAborted } from '../stop.ts';
import { observeConnection } from './connection.ts';
import { hostBehind, type WatchedObjects } from './entities/observe-entities.ts';

export interface WatchSources {
  readonly objects: () => WatchedObjects;
  /** Kinds that the user may not see. */
  readonly unreadable: readonly string[];
  /** Resolves when no watch is open any more. */
  readonly ended: Promise<unknown>;
}

export interface WatchSourceOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Something may look different now. */
  readonly onChange: () => void;
  /** `before`: it was there before we looked. */
  readonly onEvent: (event: KubeEvent, before: boolean) => void;
  readonly onConnection: (state: 'cut-off' | 'resumed') => void;
}

const KINDS: Readonly<Record<Exclude<keyof WatchedObjects, 'joined'>, Resource>> = {
  machines,
  nodes,
  cores: ownerMachines,
  deployments: machineDeployments,
  pools: runnerPools,
};

/** Keeps all that tells of hosts up to date; resolves when everything has been seen once. */
export async function startWatchSources(options: WatchSourceOptions): Promise<WatchSources> {
  const { client, clock, namespace, signal } = options;
  const there: Selection = namespace === undefined ? {} : { namespace };
  const asked = Object.entries(KINDS).map(
    ([name, resource]) => ({ name, resource, selection: resource.scope === 'Cluster' ? {} : there }) as const,
  );
  // Events about Nodes, which have no namespace, are in `default`.
  const places = namespace === undefined || namespace === 'default' ? [there] : [there, { namespace: 'default' }];
  const heard = places.map(place => ({
    ...{ name: 'events', resource: events },
    // Most events of a cluster are about Pods, and none of those is told.
    selection: { ...place, fieldSelector: 'regarding.kind!=Pod' },
  }));
  const found = await untilAborted({ signal }, whatCanBeSeen(client, [...asked, ...heard]));
  const connection = observeConnection(client, options.onConnection);
  const joined = new Set<string>();
  const informers = found.seen.map(({ name, resource, selection }) => {
    const informer = createInformer({
      ...{ client: connection.client, clock, log: silentLog, resource, selection },
      onTrouble: connection.onTrouble(resource, selection),
    });
    informer.subscribe(change => {
      if (name === 'nodes') joined.add(hostBehind(change.object as Node) ?? '');
      if (name !== 'events') options.onChange();
      else if (change.type === 'added') options.onEvent(change.object as KubeEvent, change.initial);
    });
    return [name, informer] as const;
  });
  const ended = Promise.all(informers.map(([, informer]) => informer.run(signal)));
  await untilAborted({ signal }, Promise.all(informers.map(([, { synced }]) => synced)));
  return { objects: () => ({ ...cached(informers), joined }), unreadable: found.unreadable, ended };
}

interface WatchSource {
  readonly name: string;
  readonly resource: Resource;
  readonly selection: Selection;
}

/** An informer tries for ever: what is not served or not allowed is left out before. Without machines there is nothing to watch. */
async function whatCanBeSeen(client: Client, sources: readonly WatchSource[]) {
  const answers = await Promise.allSettled(
    sources.map(({ resource, selection }) => client.list(resource, { ...selection, limit: 1 })),
  );
  const seen: WatchSource[] = [];
  const unreadable = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const answer = answers[index];
    const error: unknown = answer?.status === 'rejected' ? answer.reason : undefined;
    if (error === undefined) seen.push(source);
    else if (source.name === 'machines' || !(isForbidden(error) || isNotFound(error))) throw error;
    else if (isForbidden(error)) unreadable.add(source.resource.plural);
  }
  return { seen, unreadable: [...unreadable] };
}

function cached(informers: readonly (readonly [string, Informer<KubeObject>])[]): Omit<WatchedObjects, 'joined'> {
  const lists = informers.map(([name, { cache }]) => [name, cache.list()] as const);
  const none = { machines: [], nodes: [], cores: [], deployments: [], pools: [] };
  return { ...none, ...(Object.fromEntries(lists) as Partial<WatchedObjects>) };
}
