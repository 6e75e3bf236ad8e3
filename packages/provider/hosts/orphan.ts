import { type InfraMachine, type MacHost, macHost, machineKindOf, names } from '@minifleet/api';
import { minutes, seconds, timestamp } from '@minifleet/clock';
import { deleting, retryOnConflict } from '@minifleet/kube';
import type { Cluster } from '../cluster-api/kinds.ts';
import { whyNotHeld } from './fence.ts';
import { freeHost, isReleaseRecorded } from './free-host.ts';
import type { HandlerDeps, HostScope, StateResult } from './host-scope.ts';
import { vendorNameState } from './vendor-name.ts';

const NEXT_RECONCILE = seconds(1);
const CLUSTER_POLL = minutes(5);

/**
 * The machine of the host no longer exists. The provider continues no work on the host. With --reclaim-orphans it returns the host to its
 * pool; an operator who deletes the MacHost ends the hold and leaves the host as it is.
 */
export async function handleOrphan(scope: HostScope, deps: HandlerDeps): Promise<StateResult> {
  const { host } = scope;
  const { client, clock, clusterId, events, jobs, settings } = deps;
  const machine = await findConsumer(host, deps);
  if (machine) return waiting(`the machine ${nameOf(host)} was created again`, NEXT_RECONCILE);
  await jobs.cancel(host.metadata.name, 'the machine of the host no longer exists');
  delete host.status?.job;
  const obstacle = obstacleToReclaim(scope);
  if (settings.discovery.reclaim && obstacle === undefined) {
    await requestRelease(host, deps);
    return waiting(`the machine ${nameOf(host)} does not exist; the host is returned to its pool`, NEXT_RECONCILE);
  }
  if (deleting(host)) {
    if (!isReleaseRecorded(host, 'LeftToOthers', clock.now())) return waiting('recording the release', NEXT_RECONCILE);
    await freeHost(client, host, { clusterId });
    const note = `the MacHost was deleted while its machine ${nameOf(host)} did not exist; the Mac is left as it is`;
    events.record({ regarding: host, type: 'Warning', reason: 'LetGo', action: 'Release', note });
    return waiting('the hold has ended', NEXT_RECONCILE);
  }
  const next =
    obstacle ??
    'set provider.reclaimOrphans to let the provider return such hosts, or delete the MacHost to end the hold';
  return waiting(`the machine ${nameOf(host)} does not exist; ${next}`, CLUSTER_POLL);
}

const waiting = (message: string, again: StateResult['again']): StateResult => ({
  ready: false,
  reason: 'NotReady',
  message,
  ...(again === undefined ? {} : { again }),
});

const nameOf = ({ spec }: MacHost): string => `${spec.consumerRef?.namespace}/${spec.consumerRef?.name}`;

/** Read from the API server, because a cache may not have the machine yet. A machine with another UID takes the host over. */
async function findConsumer({ spec }: MacHost, { client }: HandlerDeps): Promise<InfraMachine | undefined> {
  const { consumerRef } = spec;
  const kind = consumerRef && machineKindOf(consumerRef);
  return kind && (await client.find(kind.resource, consumerRef));
}

/** Why the host is not returned to its pool, with the next action; undefined if it can be. */
export function obstacleToReclaim({
  host,
  cluster,
  server,
}: Pick<HostScope, 'host' | 'cluster' | 'server'>): string | undefined {
  // clusterctl move deletes machines and Cluster here and leaves the MacHosts: the hosts then work for another management cluster, under
  // the same names. Machines that were deleted by force leave their Cluster behind.
  const name = host.metadata.labels?.[names.clusterApi.clusterNameLabel];
  if (!wasHeldIn(cluster, host))
    return `its Cluster ${name ?? '(unknown)'} does not exist any more or is paused, as after clusterctl move: if no other cluster uses the host, reinstall it and delete the MacHost`;
  if (server && host.spec.source.scaleway && vendorNameState(server.name, host) === 'foreign')
    return `the server is named ${server.name} at the vendor: another cluster or an operator uses it; delete the MacHost to end the hold`;
  return undefined;
}

/** A Cluster that was created after the claim is another one with the same name. */
function wasHeldIn(cluster: Cluster | undefined, { metadata }: MacHost): boolean {
  const since = metadata.annotations?.[names.annotations.heldSince] ?? '';
  const created = cluster?.metadata.creationTimestamp ?? '';
  return cluster !== undefined && !cluster.spec?.paused && Date.parse(created) <= Date.parse(since);
}

/** In a write of its own: the next reconcile finds the host in the state Releasing. */
function requestRelease(host: MacHost, { client, clusterId, clock, events, onReclaim }: HandlerDeps): Promise<void> {
  return retryOnConflict(async () => {
    const now = await client.find(macHost.resource, { name: host.metadata.name });
    if (!now || whyNotHeld(host, now, clusterId) !== undefined || now.spec.release !== undefined) return;
    await client.update(macHost.resource, { ...now, spec: { ...now.spec, release: 'Return' } });
    onReclaim?.();
    const note = `the machine ${nameOf(host)} does not exist since ${timestamp(clock.now())}; the host is returned to its pool`;
    events.record({ regarding: host, type: 'Warning', reason: 'OrphanReclaimed', action: 'Release', note });
  });
}
