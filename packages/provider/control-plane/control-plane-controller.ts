import { type ExternalControlPlane, externalControlPlane, names } from '@minifleet/api';
import { seconds, timestamp } from '@minifleet/clock';
import {
  addFinalizer,
  againIn,
  type Context,
  defineController,
  defined,
  deleting,
  hasFinalizer,
  mapped,
  messageOf,
  type ObjectKey,
  type Outcome,
  removeFinalizer,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { type Cluster, clusters } from '../cluster-api/kinds.ts';
import { machineSelection } from '../cluster-api/machine-indexes.ts';
import { isMovedAway, ownerCluster, pausedBy, referredBy } from '../cluster-api/owner-and-pause.ts';
import { writeNotes } from '../cluster-api/write-notes.ts';
import type { ControlPlaneDeps } from './ensure-kubeconfig.ts';
import { ensureKubeconfig } from './ensure-kubeconfig.ts';
import {
  chooseEndpoint,
  isAnswered,
  judgeControlPlane,
  type KubeconfigState,
  pausedNotes,
  revoked,
  revoking,
  waitingForCluster,
} from './judge-control-plane.ts';
import { removeAnchor } from './mint-kubeconfig.ts';

const { resource } = externalControlPlane;
const finalizer = names.finalizers.controlPlane;

/** Polled, because no watch reports that an API server stopped responding or that a Secret was changed by hand. */
export const CHECK_INTERVAL = seconds(30);

/** Represents the control plane of the cluster that the provider runs in, and maintains the kubeconfig of Cluster API (I15). */
export const controlPlaneController = (parts: ControlPlaneDeps) =>
  defineController<ExternalControlPlane>({
    name: 'control-plane',
    resource,
    selection: machineSelection(parts.settings),
    watches: [
      mapped(clusters, cluster => referredBy(resource, cluster), defined({ namespace: parts.settings.namespace })),
    ],
    reconcile: (context, key) => reconcileControlPlane(context, key, parts),
  });

async function reconcileControlPlane(context: Context, key: ObjectKey, parts: ControlPlaneDeps): Promise<Outcome> {
  const { cache, client } = context;
  const target = { ...context, resource };
  const owner = cache(resource).get(key);
  if (!owner) return settled();
  if (isMovedAway(owner)) return waitForWatch('clusterctl moves the object to another cluster');
  const cluster = ownerCluster(cache(clusters), owner);
  // Cluster API first sets the owner reference; an earlier finalizer would conflict with that write.
  if (cluster && (await addFinalizer({ client, resource }, owner, finalizer))) return settled();
  const paused = pausedBy(owner, cluster);
  if (paused !== undefined) {
    await writeNotes(target, owner, { notes: pausedNotes(paused) });
    return waitForWatch(paused);
  }
  if (deleting(owner)) return release(context, owner, parts);
  if (!cluster) {
    await writeNotes(target, owner, { notes: waitingForCluster() });
    return waitForWatch('no Cluster owns the object yet');
  }
  await look(context, { owner, cluster }, parts);
  return againIn(CHECK_INTERVAL, 'periodic check of API server and kubeconfig');
}

async function look(
  context: Context,
  { owner, cluster }: { readonly owner: ExternalControlPlane; readonly cluster: Cluster },
  parts: ControlPlaneDeps,
): Promise<void> {
  const endpoint = await chooseEndpoint(context.client, { owner, cluster, server: parts.server });
  const state = await ensureKubeconfig(context, { owner, cluster: cluster.metadata.name }, parts);
  await writeNotes({ ...context, resource }, owner, {
    notes: judgeControlPlane(state),
    change(draft) {
      if (endpoint) draft.spec.controlPlaneEndpoint = endpoint;
      draft.status = statusFrom(draft.status, state);
    },
  });
}

type ControlPlaneStatus = NonNullable<ExternalControlPlane['status']>;

function statusFrom(before: ControlPlaneStatus | undefined, state: KubeconfigState): ControlPlaneStatus {
  const { kubeconfigExpirationTime: _, ...kept } = before ?? {};
  const version = state.kind !== 'missing' && state.answer.kind === 'answered' ? state.answer.version : undefined;
  const expiresAt = state.kind === 'there' ? state.expiresAt : undefined;
  return {
    ...kept,
    // Set from the first reconcile: without it Cluster API drains nothing, even if the API server does not respond at the moment.
    externalManagedControlPlane: true,
    ...(isAnswered(state) ? { initialization: { controlPlaneInitialized: true } } : {}),
    ...defined({ version, kubeconfigExpirationTime: expiresAt === undefined ? undefined : timestamp(expiresAt) }),
  };
}

/** The Secret is deleted with its owner; its token stays valid until its anchor is deleted. */
async function release(context: Context, owner: ExternalControlPlane, parts: ControlPlaneDeps): Promise<Outcome> {
  if (!hasFinalizer(owner, finalizer)) return waitForWatch('waiting for other finalizers');
  const target = { ...context, resource };
  try {
    await removeAnchor(context.client, parts.settings.clusterKubeconfig.serviceAccount.namespace, owner);
  } catch (error) {
    await writeNotes(target, owner, { notes: revoking(messageOf(error)) });
    throw error;
  }
  const written = await writeNotes(target, owner, { notes: revoked() });
  await removeFinalizer({ client: context.client, resource }, written, finalizer);
  return settled();
}
