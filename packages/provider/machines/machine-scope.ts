import { type InfraMachine, type MacHost, type MachineKind, macHost, names } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import {
  type Client,
  type Context,
  deleting,
  type EventRecorder,
  hasFinalizer,
  type Log,
  type Node,
  nodes,
  type ObjectKey,
} from '@minifleet/kube';
import type { BuilderForge } from '../builders/builder-forge.ts';
import { type Cluster, capiMachines, clusters, type Machine } from '../cluster-api/kinds.ts';
import type { HostIndex, nodeIndexes } from '../cluster-api/machine-indexes.ts';
import { isMovedAway, pausedBy } from '../cluster-api/owner-and-pause.ts';
import type { Join } from '../join/join.ts';
import type { ProviderSettings } from '../settings/settings.ts';

/** Data of one reconcile of a machine. Everything but `machine` was read before the first phase and is frozen. */
export interface MachineScope {
  /** A draft; one patch at the end sends the changes of its spec, status and metadata. */
  readonly machine: InfraMachine;
  readonly kind: MachineKind;
  /** Cluster API's Machine. Undefined until Cluster API has set it as the owner, and after a forced deletion. */
  readonly ownerMachine: Machine | undefined;
  readonly cluster: Cluster | undefined;
  /** Host that the machine names, or that names the machine. */
  readonly host: MacHost | undefined;
  /** Node with the name of the machine. */
  readonly node: Node | undefined;
  /** Names of other Nodes with the providerID of this machine. Cluster API binds none of them. */
  readonly duplicateNodes?: readonly string[];
}

export interface MachineDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly settings: ProviderSettings;
  /** UID of the namespace kube-system. */
  readonly clusterId: string;
  readonly join: Join;
  readonly forge: BuilderForge;
  /** Hosts, from the cache. */
  readonly hosts: () => readonly MacHost[];
  /** Hosts that this process tried to claim, with the resourceVersion at that time. */
  readonly reserved: Map<string, string>;
}

type ScopeDeps = Pick<Context, 'cache' | 'client'>;

/**
 * Reads everything that a reconcile needs. Undefined if the machine is gone. A machine without a host is read from the API server: the
 * cache may not show a pause or a deletion yet, and neither may be followed by a claim (I11).
 */
export async function readScope(
  { cache, client }: ScopeDeps,
  key: ObjectKey,
  kind: MachineKind,
): Promise<MachineScope | undefined> {
  const cached = cache(kind.resource).get(key);
  const machine = cached && !cached.spec.claimRef ? await client.find(kind.resource, key) : cached;
  if (!machine) return undefined;
  const { name, namespace = '', labels } = machine.metadata;
  const { providerID } = machine.spec;
  const ownerMachine = ownerOf(cache, machine);
  const clusterName = labels?.[names.clusterApi.clusterNameLabel] ?? ownerMachine?.spec.clusterName;
  const byProviderID: keyof typeof nodeIndexes = 'node-provider-id';
  const sameProviderID = providerID === undefined ? [] : cache(nodes).by(byProviderID, providerID);
  return {
    machine,
    kind,
    ownerMachine,
    cluster: clusterName === undefined ? undefined : cache(clusters).get({ namespace, name: clusterName }),
    host: hostOf(cache, machine),
    node: cache(nodes).get({ name }),
    duplicateNodes: sameProviderID.map(node => node.metadata.name).filter(other => other !== name),
  };
}

/** Also compares the UID: a recreated Machine with the same name is not the owner. */
function ownerOf(cache: ScopeDeps['cache'], { metadata }: InfraMachine): Machine | undefined {
  const { namespace = '', ownerReferences = [] } = metadata;
  const reference = ownerReferences.find(
    ({ kind, apiVersion }) => kind === capiMachines.kind && apiVersion.startsWith(`${capiMachines.group}/`),
  );
  const owner = reference && cache(capiMachines).get({ namespace, name: reference.name });
  return owner?.metadata.uid === reference?.uid ? owner : undefined;
}

/** Without a claimRef, a provider that crashed may have claimed a host: the oldest one, so that every provider chooses the same. */
function hostOf(cache: ScopeDeps['cache'], { metadata, spec }: InfraMachine): MacHost | undefined {
  const hosts = cache(macHost.resource);
  if (spec.claimRef?.name !== undefined) return hosts.get({ name: spec.claimRef.name });
  const byConsumer: HostIndex = 'host-consumer';
  const held = hosts
    .by(byConsumer, `${metadata.namespace}/${metadata.name}`)
    .filter(host => host.spec.consumerRef?.uid === metadata.uid);
  return held.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))[0];
}

const { clusterApi } = names;

/**
 * Permitted actions of a reconcile, decided before its first effect.
 * `hands off`: the Cluster is paused or the machine is being moved; its deletion waits, too.
 * `paused`: only this machine is paused: it claims no host and nothing is done on its host, but a deletion proceeds.
 * `released`: the machine is being deleted and the provider has finished its part.
 * `left behind`: the machine is being deleted, and its Machine and Cluster are gone. Cluster API keeps both until this object is gone, so
 * they were removed from outside, for example by a `clusterctl move` that does not know these kinds. The target cluster may use the host.
 */
export type ReconcileMode =
  | 'hands off'
  | 'left behind'
  | 'released'
  | 'release'
  | 'wait for owner'
  | 'paused'
  | 'provision';

export function reconcileMode({
  machine,
  ownerMachine,
  cluster,
  kind,
}: Pick<MachineScope, 'machine' | 'ownerMachine' | 'cluster' | 'kind'>): ReconcileMode {
  if (isMovedAway(machine) || cluster?.spec?.paused === true) return 'hands off';
  if (deleting(machine) && !hasFinalizer(machine, kind.finalizer)) return 'released';
  if (deleting(machine)) return ownerMachine || cluster || !namesCluster(machine) ? 'release' : 'left behind';
  if (!ownerMachine) return 'wait for owner';
  return pausedBy(machine, cluster) === undefined ? 'provision' : 'paused';
}

const namesCluster = ({ metadata }: InfraMachine): boolean =>
  metadata.labels?.[clusterApi.clusterNameLabel] !== undefined;

const { blockMoveAnnotation } = names.clusterApi;

/** clusterctl waits for objects with this annotation. It is set while the machine holds a host whose status is not saved for a move. */
export function blockMove({ metadata }: InfraMachine, blocked: boolean): void {
  if (!blocked) delete metadata.annotations?.[blockMoveAnnotation];
  else metadata.annotations = { ...metadata.annotations, [blockMoveAnnotation]: '' };
}
