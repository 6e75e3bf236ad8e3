import { type HostState, type MacHost, type MacHostStatus, macHost, names } from '@minifleet/api';
import { seconds, timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import {
  againIn,
  type Context,
  deleting,
  type ObjectKey,
  type Outcome,
  patching,
  setCondition,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { isMovedAway, pausedBy } from '../cluster-api/owner-and-pause.ts';
import { claimConditions, noteFailure } from './claim-conditions.ts';
import { HOST_CLAIM_LOST } from './fence.ts';
import type { HandlerDeps, HostScope, StateResult } from './host-scope.ts';
import { noteLocalNetwork } from './local-network.ts';
import { handleOrphan } from './orphan.ts';
import { noteOSImage } from './os-image.ts';
import { readHostScope } from './read-host-scope.ts';
import { type ServerLists, statusFromServer, withVendorAddress } from './server-lists.ts';
import { stateOf, stateTable } from './state-table.ts';

const { resource } = macHost;
/** Own status writes trigger no reconcile. */
const NEXT_RECONCILE = seconds(1);

export interface HostReconciler {
  readonly deps: HandlerDeps;
  readonly lists: ServerLists;
}

/** Runs the handler of the current state of a host, and writes one patch. */
export async function reconcileHost(
  context: Context,
  key: ObjectKey,
  { deps, lists }: HostReconciler,
): Promise<Outcome> {
  const host = context.cache(resource).get(key);
  if (!host || isElsewhere(host, deps)) return settled();
  const scope = await readHostScope(context, host, { deps, lists });
  if (scope.consumer && isMovedAway(scope.consumer)) {
    await deps.jobs.cancel(host.metadata.name, 'clusterctl moves the machine to another cluster');
    return waitForWatch('clusterctl moves the object to another cluster');
  }
  // After a start: the first list wakes every host. Nothing is known of the server until then, so nothing is written.
  if (scope.listed && scope.vendor && !scope.server) return waitForWatch('the first list of the vendor');
  return patching(context, { resource, object: host }, async draft => {
    const drafted = { ...scope, host: draft };
    const paused = pauseOf(drafted);
    if (paused !== undefined && draft.spec.release === undefined) return pause(drafted, deps, paused);
    try {
      return await enter(drafted, deps);
    } catch (error) {
      // Another holder writes the status now.
      if (error instanceof CataloguedError && error.code === HOST_CLAIM_LOST.code)
        Object.assign(draft, structuredClone(host));
      throw error;
    }
  });
}

/** A copy that clusterctl left here, or one that was restored from the backup of another cluster. */
const isElsewhere = ({ spec }: MacHost, { clusterId }: HandlerDeps): boolean =>
  spec.clusterID !== undefined && spec.clusterID !== clusterId;

const pauseOf = ({ consumer, cluster }: HostScope): string | undefined =>
  consumer && !deleting(consumer) ? pausedBy(consumer, cluster) : undefined;

/** Ends the job and records the status in an annotation, because clusterctl moves annotations and no status. */
async function pause({ host }: HostScope, { jobs }: HandlerDeps, why: string): Promise<Outcome> {
  await jobs.cancel(host.metadata.name, why);
  // A host that was just created by clusterctl has no status, and the annotation is all that is known of it.
  if (host.status?.state === undefined) return waitForWatch(why);
  delete host.status.job;
  const saved = JSON.stringify(host.status);
  host.metadata.annotations = { ...host.metadata.annotations, [names.annotations.hostStatus]: saved };
  return waitForWatch(why);
}

/** Restores the status of a moved host, and runs the handler of its state. */
async function enter(scope: HostScope, deps: HandlerDeps): Promise<Outcome> {
  const { host } = scope;
  restoreStatus(host);
  showServer(scope);
  const input = { now: deps.clock.now(), listed: scope.listed };
  const state = stateOf(host, input);
  noteState(host, state, deps);
  const result = await handle(state, scope, deps);
  const next = stateOf(host, input);
  noteState(host, next, deps);
  noteClaim(scope, deps);
  noteReady(host, result, deps);
  if (next !== state) return againIn(NEXT_RECONCILE, `the host is ${next}`);
  return result.again === undefined ? waitForWatch(result.message) : againIn(result.again, result.message);
}

/** Runs the handler of the state. A host whose machine is gone gets no work in any state but those that end its hold. */
async function handle(state: HostState, scope: HostScope, deps: HandlerDeps): Promise<StateResult> {
  const { host, consumer } = scope;
  try {
    if (scope.listed && !scope.server) return NO_VENDOR;
    if (host.spec.consumerRef && !consumer && state !== 'Releasing' && state !== 'Missing')
      return await handleOrphan(scope, deps);
    if (consumer) await noteOSImage(scope, deps);
    const result = await stateTable[state](scope, deps);
    if (consumer) noteLocalNetwork(scope, deps);
    return result;
  } catch (error) {
    noteFailure(host, state, { error, clock: deps.clock });
    throw error;
  }
}

const NO_VENDOR: StateResult = {
  ready: false,
  reason: 'NotReady',
  message:
    'the provider has no credentials for Scaleway; set SCW_ACCESS_KEY, SCW_SECRET_KEY and SCW_DEFAULT_PROJECT_ID',
};

function restoreStatus(host: MacHost): void {
  const { hostStatus } = names.annotations;
  const { [hostStatus]: saved, ...annotations } = host.metadata.annotations ?? {};
  if (saved === undefined) return;
  host.metadata.annotations = annotations;
  if (host.status?.state === undefined) host.status = JSON.parse(saved) as MacHostStatus;
}

function showServer({ host, server, vendor }: HostScope): void {
  if (!server) return;
  host.status = { ...host.status, ...statusFromServer(server, vendor) };
  if (host.spec.consumerRef) host.status.addresses = withVendorAddress(host.status.addresses, server.address);
}

function noteClaim({ host, consumer, others }: HostScope, { clock, clusterId }: HandlerDeps): void {
  const conditions = claimConditions({ host, consumer, others, clusterId, now: clock.now() });
  // The handler of Claimed checks the name with the vendor itself, which is newer than the last list.
  const known = host.status?.state === 'Claimed' || host.status?.state === 'Bootstrapping';
  for (const note of conditions) if (!(known && note.type === 'NameMirrored')) setCondition(host, note, clock);
}

function noteState(host: MacHost, state: HostState, { clock }: HandlerDeps): void {
  if (host.status?.state === state) return;
  host.status = { ...host.status, state, stateSince: timestamp(clock.now()) };
}

function noteReady(host: MacHost, { ready, reason, message }: StateResult, { clock }: HandlerDeps): void {
  const note =
    deleting(host) && host.spec.consumerRef
      ? [message, 'the MacHost is deleted when its machine releases it'].filter(Boolean).join('; ')
      : message;
  setCondition(host, { type: 'Ready', status: ready ? 'True' : 'False', reason, message: note }, clock);
  if (host.metadata.generation !== undefined)
    host.status = { ...host.status, observedGeneration: host.metadata.generation };
}
