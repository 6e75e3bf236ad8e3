import type { Clock } from '@minifleet/clock';
import {
  type Client,
  createInformer,
  events,
  type Informer,
  type InformerOptions,
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
import { hostOfNode, ownerMachines } from '../cluster/machines.ts';
import { macHosts, machineDeployments, machines, macMachines, runnerPools } from '../cluster/resources.ts';
import { untilAborted } from '../stop.ts';
import type { WatchedObjects } from './entities/observe-entities.ts';

export interface WatchSources {
  readonly objects: () => WatchedObjects;
  /** Resources that the user may not list. */
  readonly unreadable: readonly string[];
  /** Resolves when no watch is open any more. */
  readonly ended: Promise<unknown>;
}

interface WatchSourceOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Called after any change of a watched object. */
  readonly onChange: () => void;
  /** `initial`: the event existed before the watch started. */
  readonly onEvent: (event: KubeEvent, initial: boolean) => void;
  readonly onConnection: (state: 'disconnected' | 'reconnected') => void;
}

const SOURCES: readonly (readonly [name: Exclude<keyof WatchedObjects, 'joined'>, resource: Resource])[] = [
  ['machines', machines],
  ['machines', macMachines],
  ['hosts', macHosts],
  ['nodes', nodes],
  ['ownerMachines', ownerMachines],
  ['deployments', machineDeployments],
  ['pools', runnerPools],
];

/** Watches all objects of hosts, fleets and pools. Resolves when every list has been read once. */
export async function startWatchSources(options: WatchSourceOptions): Promise<WatchSources> {
  const { client, clock, namespace, signal } = options;
  const selected: Selection = namespace === undefined ? {} : { namespace };
  const objectSources = SOURCES.map(
    ([name, resource]) => ({ name, resource, selection: resource.scope === 'Cluster' ? {} : selected }) as const,
  );
  // Events about Nodes and MacHosts, which are cluster-scoped, are in `default`.
  const places = namespace === undefined || namespace === 'default' ? [selected] : [selected, { namespace: 'default' }];
  const eventSources = places.map(place => ({
    ...{ name: 'events', resource: events },
    // Excludes events about Pods: they are the majority, and none of them is printed.
    selection: { ...place, fieldSelector: 'regarding.kind!=Pod' },
  }));
  const found = await untilAborted({ signal }, readableSources(client, [...objectSources, ...eventSources]));
  const connection = observeConnection(client, options.onConnection);
  const joined = new Set<string>();
  const informers = found.readable.map(({ name, resource, selection }) => {
    const informer = createInformer({
      ...{ client: connection.client, clock, log: silentLog, resource, selection },
      onTrouble: connection.onTrouble(resource, selection),
    });
    informer.subscribe(change => {
      if (name === 'nodes') joined.add(hostOfNode(change.object as Node) ?? '');
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

/** Omits resources that are not served or not allowed, because an informer retries forever. The list of machines is required. */
async function readableSources(client: Client, sources: readonly WatchSource[]) {
  const answers = await Promise.allSettled(
    sources.map(({ resource, selection }) => client.list(resource, { ...selection, limit: 1 })),
  );
  const readable: WatchSource[] = [];
  const unreadable = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const answer = answers[index];
    const error: unknown = answer?.status === 'rejected' ? answer.reason : undefined;
    if (error === undefined) readable.push(source);
    else if (source.resource === machines || !(isForbidden(error) || isNotFound(error))) throw error;
    else if (isForbidden(error)) unreadable.add(source.resource.plural);
  }
  return { readable, unreadable: [...unreadable] };
}

function cached(informers: readonly (readonly [string, Informer<KubeObject>])[]): Omit<WatchedObjects, 'joined'> {
  const byName = Map.groupBy(informers, ([name]) => name);
  const lists = [...byName].map(([name, all]) => [name, all.flatMap(([, { cache }]) => cache.list())]);
  const none = { machines: [], hosts: [], nodes: [], ownerMachines: [], deployments: [], pools: [] };
  return { ...none, ...(Object.fromEntries(lists) as Partial<WatchedObjects>) };
}

/** Reports a lost connection once, and again when every watch is open again. */
interface WatchConnection {
  /** Client for the informers. It observes when their watches open. */
  readonly client: Client;
  /** Returns the error handler of one informer. */
  readonly onTrouble: (
    resource: Resource,
    selection: Selection,
  ) => NonNullable<InformerOptions<KubeObject>['onTrouble']>;
}

function observeConnection(client: Client, report: (state: 'disconnected' | 'reconnected') => void): WatchConnection {
  const lost = new Set<string>();
  const nameOf = ({ plural, group }: Resource, { namespace = '' }: Selection): string =>
    `${plural} ${group} ${namespace}`;
  return {
    client: {
      ...client,
      async watch(resource, options) {
        const opened = await client.watch(resource, options);
        if (lost.delete(nameOf(resource, options)) && lost.size === 0) report('reconnected');
        return opened;
      },
    },
    onTrouble: (resource, selection) => trouble => {
      // After an expired resource version the informer lists again. Nothing is missed, so this is not reported.
      if (trouble !== 'watch-failed' && trouble !== 'list-failed') return;
      if (lost.size === 0) report('disconnected');
      lost.add(nameOf(resource, selection));
    },
  };
}
