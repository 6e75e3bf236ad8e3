import { type InfraMachine, type MacHost, macHost, machineKinds } from '@minifleet/api';
import {
  changedBesidesStatus,
  defined,
  keyOf,
  mapped,
  type Node,
  nodes,
  type ObjectKey,
  type Runtime,
} from '@minifleet/kube';
import { hostOfProviderID, namedHost } from '../cluster-api/host-ids.ts';
import { type Cluster, clusters } from '../cluster-api/kinds.ts';
import { silentSince } from '../cluster-api/lost-node.ts';
import {
  addIndexes,
  type HostIndex,
  hostIndexes,
  machineIndexes,
  machineSelection,
  nodeIndexes,
} from '../cluster-api/machine-indexes.ts';
import type { FleetHost, HostControllerDeps } from './host-scope.ts';
import { isAgentReady } from './left-nodes.ts';
import { createImageCatalogue } from './os-image.ts';
import { reconcileHost } from './reconcile-host.ts';
import type { ServerLists } from './server-lists.ts';

const { resource } = macHost;

export interface HostControllerOptions {
  readonly deps: HostControllerDeps;
  readonly lists: ServerLists;
  /** Called with a function that reconciles a host, for triggers outside the cluster such as a changed server. */
  readonly onStart?: (wake: (host: string) => void) => void;
}

/** Adds the controller of hosts to a program. */
export function addHostController(runtime: Runtime, { deps, lists, onStart }: HostControllerOptions): void {
  const selection = machineSelection(deps.settings);
  const inNamespace = defined({ namespace: selection.namespace });
  const hosts = runtime.informer(resource, {});
  const registered = runtime.informer(nodes, {});
  addIndexes(hosts, hostIndexes);
  addIndexes(registered, nodeIndexes);
  for (const kind of machineKinds) addIndexes(runtime.informer<InfraMachine>(kind.resource, selection), machineIndexes);
  const by = (index: HostIndex, value: string): ObjectKey[] => hosts.cache.by(index, value).map(keyOf);

  const fleetOf = ({ metadata, spec }: MacHost): FleetHost[] => {
    const { consumerRef, desired } = spec;
    if (!desired?.fleet) return [];
    const index: HostIndex = 'host-fleet';
    return hosts.cache
      .by(index, `${consumerRef?.namespace}/${desired.fleet}`)
      .filter(host => host.metadata.name !== metadata.name)
      .map(host => ({
        host,
        nodeReady: isAgentReady(registered.cache.get({ name: host.spec.desired?.nodeName ?? '' })),
      }));
  };
  const images = createImageCatalogue(deps.clock, deps.settings.discovery.every);
  const reconciler = { deps: { ...deps, fleetOf, images }, lists };

  runtime.add<MacHost>({
    name: 'mac-host',
    resource,
    watches: [
      ...machineKinds.map(kind => mapped<InfraMachine>(kind.resource, hostsOfMachine, selection, changedBesidesStatus)),
      mapped(
        clusters,
        ({ metadata }: Cluster) => by('host-cluster', `${metadata.namespace}/${metadata.name}`),
        inNamespace,
        changedBesidesStatus,
      ),
      mapped(nodes, hostsOfNode, {}, isNodeChange),
    ],
    wakeOn: (previous, host) => changedBesidesStatus(previous, host) || isStatusEdited(previous, host),
    wakes(wake) {
      const wakeHost = (name: string): void => wake({ name });
      onStart?.(wakeHost);
      return deps.jobs.onChange(wakeHost);
    },
    reconcile: (context, key) => reconcileHost(context, key, reconciler),
  });

  /** The host that the machine holds, and the one that it names. */
  function hostsOfMachine(machine: InfraMachine): ObjectKey[] {
    const named = namedHost(machine);
    return [
      ...by('host-consumer', `${machine.metadata.namespace}/${machine.metadata.name}`),
      ...(named === undefined ? [] : [{ name: named }]),
    ];
  }

  function hostsOfNode({ metadata, spec }: Node): ObjectKey[] {
    const host = hostOfProviderID(spec?.providerID);
    return [...by('host-node', metadata.name), ...(host === undefined ? [] : [{ name: host }])];
  }
}

/** `minifleet release` removes a quarantine after failures, and an operator may remove the whole status. */
const isStatusEdited = (previous: MacHost, host: MacHost): boolean =>
  host.status?.state === undefined || (previous.status?.quarantine !== undefined && !host.status.quarantine);

/** A Node also reports every few minutes that nothing changed. */
const isNodeChange = (previous: Node, node: Node): boolean =>
  changedBesidesStatus(previous, node) ||
  isAgentReady(previous) !== isAgentReady(node) ||
  silentSince(previous) !== silentSince(node);
