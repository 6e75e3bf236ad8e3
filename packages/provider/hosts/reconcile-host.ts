import {
  type HostState,
  type MacHost,
  type MacHostStatus,
  macHost,
  names,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { seconds, timestamp } from '@minifleet/clock';
import {
  againIn,
  type Context,
  deleting,
  nodes,
  type ObjectKey,
  type Outcome,
  patching,
  setCondition,
  settled,
  waitForWatch,
} from '@minifleet/kube';
import { clusters } from '../cluster-api/kinds.ts';
import { isMovedAway, pausedBy } from '../cluster-api/pause.ts';
import { claimConditions } from './claim-conditions.ts';
import type { HostControllerDeps, HostScope, StateResult } from './host-scope.ts';
import { stateOf } from './host-state.ts';
import { type ServerLists, statusFromServer } from './server-lists.ts';
import { stateTable } from './state-table.ts';

const { resource } = macHost;
/** Own status writes trigger no reconcile. */
const NEXT_RECONCILE = seconds(1);

export interface HostController {
  readonly deps: HostControllerDeps;
  readonly lists: ServerLists;
}

/** Runs the handler of the current state of a host, and writes one patch. */
export async function reconcileHost(
  context: Context,
  key: ObjectKey,
  { deps, lists }: HostController,
): Promise<Outcome> {
  const host = context.cache(resource).get(key);
  if (!host) return settled();
  const scope = readScope(context, host, lists);
  if (isElsewhere(host, deps)) return settled();
  if (scope.consumer && isMovedAway(scope.consumer)) {
    await deps.jobs.cancel(host.metadata.name, 'clusterctl moves the machine to another cluster');
    return waitForWatch('clusterctl moves the object to another cluster');
  }
  return patching(context, { resource, object: host }, async draft => {
    const held = { ...scope, host: draft };
    const paused = pauseOf(held);
    if (paused !== undefined && draft.spec.release === undefined) return pause(held, deps, paused);
    return enter(held, deps, lists);
  });
}

function readScope({ cache }: Context, host: MacHost, lists: ServerLists): HostScope {
  const { consumerRef, desired } = host.spec;
  const machine = consumerRef && cache(scalewayAppleSiliconMachine.resource).get(consumerRef);
  const consumer = machine?.metadata.uid === consumerRef?.uid ? machine : undefined;
  const cluster = consumer?.metadata.labels?.[names.clusterApi.clusterNameLabel];
  return {
    host,
    consumer,
    cluster:
      cluster === undefined
        ? undefined
        : cache(clusters).get({ namespace: consumer?.metadata.namespace ?? '', name: cluster }),
    node: desired && cache(nodes).get({ name: desired.nodeName }),
    ...lists.of(host),
  };
}

/** A copy that clusterctl left here, or one that was restored from the backup of another cluster. */
const isElsewhere = ({ spec }: MacHost, { clusterId }: HostControllerDeps): boolean =>
  spec.clusterID !== undefined && spec.clusterID !== clusterId;

const pauseOf = ({ consumer, cluster }: HostScope): string | undefined =>
  consumer && !deleting(consumer) ? pausedBy(consumer, cluster) : undefined;

/** Ends the job and records the status in an annotation, because clusterctl moves annotations and no status. */
async function pause({ host }: HostScope, { jobs }: HostControllerDeps, why: string): Promise<Outcome> {
  await jobs.cancel(host.metadata.name, why);
  delete host.status?.job;
  host.metadata.annotations = {
    ...host.metadata.annotations,
    [names.annotations.hostStatus]: JSON.stringify(host.status ?? {}),
  };
  return waitForWatch(why);
}

/** Restores the status of a moved host, and runs the handler of its state. */
async function enter(scope: HostScope, deps: HostControllerDeps, lists: ServerLists): Promise<Outcome> {
  const { host } = scope;
  restoreStatus(host);
  if (scope.server) host.status = { ...host.status, ...statusFromServer(scope.server, scope.vendor) };
  const input = { now: deps.clock.now(), listed: lists.isListed(host) };
  const state = stateOf(host, input);
  noteState(host, state, deps);
  const result = await stateTable[state](scope, deps);
  const next = stateOf(host, input);
  noteState(host, next, deps);
  noteClaim({ ...scope, host }, deps);
  noteReady(host, result, deps);
  if (next !== state) return againIn(NEXT_RECONCILE, `the host is ${next}`);
  return result.again === undefined ? waitForWatch(result.message) : againIn(result.again, result.message);
}

function restoreStatus(host: MacHost): void {
  const { hostStatus } = names.annotations;
  const { [hostStatus]: saved, ...annotations } = host.metadata.annotations ?? {};
  if (saved === undefined) return;
  host.metadata.annotations = annotations;
  if (host.status?.state === undefined) host.status = JSON.parse(saved) as MacHostStatus;
}

function noteClaim({ host, consumer }: HostScope, { clock, clusterId }: HostControllerDeps): void {
  const conditions = claimConditions({ host, consumer, others: [], clusterId, now: clock.now() });
  // The handler of Claimed checks the name with the vendor itself, which is newer than the last list.
  const known = host.status?.state === 'Claimed' || host.status?.state === 'Bootstrapping';
  for (const note of conditions) if (!(known && note.type === 'NameMirrored')) setCondition(host, note, clock);
}

function noteState(host: MacHost, state: HostState, { clock }: HostControllerDeps): void {
  if (host.status?.state === state) return;
  host.status = { ...host.status, state, stateSince: timestamp(clock.now()) };
}

function noteReady(host: MacHost, { ready, reason, message }: StateResult, { clock }: HostControllerDeps): void {
  setCondition(host, { type: 'Ready', status: ready ? 'True' : 'False', reason, message }, clock);
  if (host.metadata.generation !== undefined)
    host.status = { ...host.status, observedGeneration: host.metadata.generation };
}
