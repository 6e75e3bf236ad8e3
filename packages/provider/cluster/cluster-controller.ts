import { type InfraCluster, names, scalewayAppleSiliconCluster, scalewayAppleSiliconMachine } from '@minifleet/api';
import {
  addFinalizer,
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
import { clusters } from '../cluster-api/kinds.ts';
import { ownerCluster, ownerReferenceToCluster, referredBy } from '../cluster-api/owner-cluster.ts';
import { isExternallyManaged, isMovedAway, pausedBy } from '../cluster-api/pause.ts';
import { writeNotes } from '../cluster-api/write-notes.ts';
import { machineSelection } from '../machines/machine-controller.ts';
import type { ProviderSettings } from '../program/settings.ts';
import { deletingNotes, isReadyIn, judgeCluster, pausedNotes } from './judge-cluster.ts';

const { resource } = scalewayAppleSiliconCluster;
const machines = scalewayAppleSiliconMachine.resource;
const { clusterNameLabel } = names.clusterApi;
const finalizer = names.finalizers.cluster;

type ClusterSettings = Pick<ProviderSettings, 'namespace' | 'watchFilter' | 'sweep'>;

/** Reports when machines can be created, and keeps the object until the last machine is deleted. */
export function addClusterController(runtime: Runtime, settings: ClusterSettings): void {
  const selection = machineSelection(settings);
  const inNamespace = defined({ namespace: settings.namespace });
  const all = runtime.informer(resource, selection);
  runtime.add<InfraCluster>({
    name: 'cluster',
    resource,
    selection,
    watches: [
      mapped(clusters, cluster => referredBy(resource, cluster), inNamespace),
      // A deleted machine may be the last one that the deletion waits for.
      mapped(machines, ({ metadata }) => deletedIn(all.cache.list(), metadata.namespace).map(keyOf), inNamespace),
    ],
    reconcile: (context, key) => reconcileCluster(context, key, settings),
  });
}

const deletedIn = (infras: readonly InfraCluster[], namespace: string | undefined) =>
  infras.filter(infra => deleting(infra) && infra.metadata.namespace === namespace);

async function reconcileCluster(context: Context, key: ObjectKey, settings: ClusterSettings): Promise<Outcome> {
  const { cache, client } = context;
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
  if (deleting(infra)) return release(context, infra);
  const notes = judgeCluster({ infra, cluster });
  const provisioned = isReadyIn(notes) ? { initialization: { provisioned: true } } : {};
  await writeNotes({ ...context, resource }, infra, {
    notes,
    change(draft) {
      draft.status = { ...draft.status, failureDomains: failureDomainsOf(settings), ...provisioned };
    },
  });
  return settled();
}

async function release(context: Context, infra: InfraCluster): Promise<Outcome> {
  if (!hasFinalizer(infra, finalizer)) return waitForWatch('waiting for other finalizers');
  const left = await machinesOf(context, infra);
  const written = await writeNotes({ ...context, resource }, infra, { notes: deletingNotes(left) });
  if (left.length > 0) return waitForWatch(`waiting for the deletion of ${left.length} machines`);
  await removeFinalizer({ client: context.client, resource }, written, finalizer);
  return settled();
}

/** Bypasses the cache, so that a machine that Cluster API has just created counts. */
async function machinesOf({ client }: Context, infra: InfraCluster): Promise<string[]> {
  const { namespace = '', labels } = infra.metadata;
  const name = ownerReferenceToCluster(infra)?.name ?? labels?.[clusterNameLabel];
  if (name === undefined) return [];
  const { items } = await client.list(machines, { namespace, labelSelector: `${clusterNameLabel}=${name}` });
  return items.map(({ metadata }) => metadata.name).sort();
}

/** Zones are the failure domains; no control plane runs in them. */
const failureDomainsOf = ({ sweep }: ClusterSettings) =>
  [...new Set(sweep.zones)].sort().map(name => ({ name, controlPlane: false }));
