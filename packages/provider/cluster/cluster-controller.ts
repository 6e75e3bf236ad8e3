import {
  type ApiEndpoint,
  type ClusterKind,
  clusterConditions,
  clusterKinds,
  type InfraCluster,
  type InfraMachine,
  machineKinds,
  names,
  scalewayAppleSiliconCluster,
} from '@minifleet/api';
import {
  addFinalizer,
  type ConditionNote,
  type Context,
  defined,
  deleting,
  hasFinalizer,
  keyOf,
  mapped,
  type ObjectKey,
  type Outcome,
  type Runtime,
  removeFinalizer,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { type Cluster, clusters, isCompleteEndpoint } from '../cluster-api/kinds.ts';
import { machineSelection } from '../cluster-api/machine-indexes.ts';
import {
  isExternallyManaged,
  isMovedAway,
  ownerCluster,
  ownerReferenceToCluster,
  pausedBy,
  referredBy,
} from '../cluster-api/owner-and-pause.ts';
import { notesFor, writeNotes } from '../cluster-api/write-notes.ts';
import type { ProviderSettings } from '../settings/settings.ts';

const { clusterNameLabel } = names.clusterApi;

type ClusterSettings = Pick<ProviderSettings, 'namespace' | 'watchFilter' | 'discovery'>;

/** Adds a controller for each kind: it reports when machines can be created, and keeps the object until the last machine is deleted. */
export function addClusterControllers(runtime: Runtime, settings: ClusterSettings): void {
  for (const kind of clusterKinds) addClusterController(runtime, kind, settings);
}

function addClusterController(runtime: Runtime, kind: ClusterKind, settings: ClusterSettings): void {
  const { resource } = kind;
  const selection = machineSelection(settings);
  const inNamespace = defined({ namespace: settings.namespace });
  const all = runtime.informer<InfraCluster>(resource, selection);
  // A deleted machine may be the last one that the deletion waits for.
  const waiting = ({ metadata }: InfraMachine) => deletedIn(all.cache.list(), metadata.namespace).map(keyOf);
  runtime.add<InfraCluster>({
    name: kind.resource === scalewayAppleSiliconCluster.resource ? 'cluster' : 'mac-cluster',
    resource,
    selection,
    watches: [
      mapped(clusters, cluster => referredBy(resource, cluster), inNamespace),
      ...machineKinds.map(machine => mapped(machine.resource, waiting, inNamespace)),
    ],
    reconcile: (context, key) => reconcileCluster(context, key, { kind, settings }),
  });
}

const deletedIn = (infras: readonly InfraCluster[], namespace: string | undefined) =>
  infras.filter(infra => deleting(infra) && infra.metadata.namespace === namespace);

interface ClusterController {
  readonly kind: ClusterKind;
  readonly settings: ClusterSettings;
}

async function reconcileCluster(
  context: Context,
  key: ObjectKey,
  { kind, settings }: ClusterController,
): Promise<Outcome> {
  const { cache, client } = context;
  const { resource, finalizer } = kind;
  const infra = cache(resource).get(key);
  if (!infra || isExternallyManaged(infra)) return settled();
  if (isMovedAway(infra)) return waitForWatch('clusterctl moves the object to another cluster');
  const cluster = ownerCluster(cache(clusters), infra);
  // Cluster API first sets the owner reference; an earlier finalizer would conflict with that write.
  if (cluster && (await addFinalizer({ client, resource }, infra, finalizer))) return settled();
  const paused = pausedBy(infra, cluster);
  if (paused !== undefined) {
    await writeNotes({ ...context, resource }, infra, { notes: pausedNotes(paused) });
    return waitForWatch(paused);
  }
  if (deleting(infra)) return release(context, infra, kind);
  const notes = judgeCluster({ infra, cluster });
  const provisioned = isReadyIn(notes) ? { initialization: { provisioned: true } } : {};
  const failureDomains = failureDomainsOf(kind, settings);
  await writeNotes({ ...context, resource }, infra, {
    notes,
    change(draft) {
      draft.status = { ...draft.status, ...failureDomains, ...provisioned };
    },
  });
  return settled();
}

async function release(context: Context, infra: InfraCluster, { resource, finalizer }: ClusterKind): Promise<Outcome> {
  if (!hasFinalizer(infra, finalizer)) return waitForWatch('waiting for other finalizers');
  const left = await machinesOf(context, infra);
  const written = await writeNotes({ ...context, resource }, infra, { notes: deletingNotes(left) });
  if (left.length > 0) return waitForWatch(`waiting for the deletion of ${left.length} machines`);
  await removeFinalizer({ client: context.client, resource }, written, finalizer);
  return settled();
}

/** Names of the machines of both kinds. Bypasses the cache, so that a machine that Cluster API has just created counts. */
async function machinesOf({ client }: Context, infra: InfraCluster): Promise<string[]> {
  const { namespace = '', labels } = infra.metadata;
  const name = ownerReferenceToCluster(infra)?.name ?? labels?.[clusterNameLabel];
  if (name === undefined) return [];
  const inCluster = { namespace, labelSelector: `${clusterNameLabel}=${name}` };
  const lists = await Promise.all(machineKinds.map(({ resource }) => client.list(resource, inCluster)));
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).toSorted();
}

/** Zones are the failure domains; no control plane runs in them. Owned Macs have no zone, so a MacCluster has no failure domains. */
const failureDomainsOf = ({ resource }: ClusterKind, { discovery }: ClusterSettings): InfraCluster['status'] =>
  resource === scalewayAppleSiliconCluster.resource
    ? { failureDomains: [...new Set(discovery.zones)].toSorted().map(name => ({ name, controlPlane: false })) }
    : {};

const note = notesFor(clusterConditions);

interface ClusterView {
  readonly infra: InfraCluster;
  readonly cluster: Cluster | undefined;
}

/** Decides if machines can be created: Cluster API only needs an API server address. */
function judgeCluster({ infra, cluster }: ClusterView): readonly ConditionNote[] {
  const endpoint = endpointOf({ infra, cluster });
  const idle = [note('Paused', 'False', 'NotPaused'), note('Deleting', 'False', 'NotDeleting')];
  if (!cluster) {
    const words = 'waiting for Cluster API to set a Cluster as the owner of this object';
    return [...idle, note('EndpointReady', 'False', 'WaitingForEndpoint', words), notReady(words)];
  }
  if (!endpoint) {
    const words = `Cluster ${cluster.metadata.name} has no controlPlaneEndpoint; set it on its ExternalControlPlane to an address that the Macs can reach`;
    return [...idle, note('EndpointReady', 'False', 'WaitingForEndpoint', words), notReady(words)];
  }
  const { host, port } = endpoint;
  return [...idle, note('EndpointReady', 'True', 'EndpointKnown', `${host}:${port}`), note('Ready', 'True', 'Ready')];
}

const isReadyIn = (notes: readonly ConditionNote[]): boolean =>
  notes.some(({ type, status }) => type === 'Ready' && status === 'True');

const pausedNotes = (words: string): readonly ConditionNote[] => [note('Paused', 'True', 'Paused', words)];

/** `machines`: names of the remaining machines. */
function deletingNotes(machines: readonly string[]): readonly ConditionNote[] {
  if (machines.length === 0) {
    return [note('Deleting', 'True', 'DeletionCompleted'), notReady('the cluster is deleted')];
  }
  const more = machines.length > SHOWN ? ` and ${machines.length - SHOWN} more` : '';
  const words = `waiting for the deletion of machines: ${machines.slice(0, SHOWN).join(', ')}${more}`;
  return [note('Deleting', 'True', 'WaitingForMachines', words), notReady(words)];
}

const SHOWN = 5;

/** Prefers its own endpoint: Cluster API uses it if the control plane has none. */
function endpointOf({ infra, cluster }: ClusterView): Required<ApiEndpoint> | undefined {
  return [infra.spec.controlPlaneEndpoint, cluster?.spec?.controlPlaneEndpoint].find(isCompleteEndpoint);
}

const notReady = (message: string): ConditionNote => note('Ready', 'False', 'NotReady', message);
