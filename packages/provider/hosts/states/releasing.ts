import { chooseImage, type HostRelease, type MacHost } from '@minifleet/api';
import { minutes, seconds, timestamp } from '@minifleet/clock';
import { CataloguedError, needsOperator } from '@minifleet/errors';
import { quiescePlan, releasePlan } from '@minifleet/host';
import { messageOf } from '@minifleet/kube';
import { type Server, VENDOR_SERVER_UNKNOWN, type Vendor } from '@minifleet/vendors';
import { recordReturn } from '../failure-record.ts';
import { fenceHost } from '../fence.ts';
import { foreignName, leaveToOthers, named } from '../foreign-host.ts';
import { freeHost, isReleaseRecorded } from '../free-host.ts';
import type { HandlerDeps, HostScope, StateHandler, StateResult } from '../host-scope.ts';
import type { HostJobState } from '../jobs/host-job.ts';
import { deleteOwnNode } from '../left-nodes.ts';
import { poolName, retainedName } from '../vendor-name.ts';
import { sshAddressOf } from '../work.ts';

const NEXT_RECONCILE = seconds(1);
const RUNNER_POLL = seconds(30);
const VENDOR_POLL = minutes(1);

/** A step of the release: undefined when it is done, otherwise what it waits for. Every step can be repeated. */
type ReleaseStep = (scope: HostScope, deps: HandlerDeps) => Promise<StateResult | undefined>;

/**
 * The host leaves its machine. The hold ends last: until then no other machine can claim the host, and before the vendor has accepted the
 * reinstallation its name does not look free to other clusters.
 */
export const releasing: StateHandler = async (scope, deps) => {
  // The release is recorded after the last step. A vendor that is done by then must not install the host again.
  const { lastRelease } = scope.host.status ?? {};
  const isDone = lastRelease?.epoch === scope.host.spec.claimEpoch && lastRelease.reason !== 'LeftToOthers';
  for (const step of isDone ? [] : [stopJob, leaveForeign, removeRunner, removeAgent, reinstall, rename, removeNode]) {
    const waiting = await step(scope, deps);
    if (waiting) return waiting;
  }
  return free(scope, deps);
};

const waiting = (message: string, again?: StateResult['again']): StateResult => ({
  ready: false,
  reason: 'NotReady',
  message: `Releasing: ${message}`,
  ...(again === undefined ? {} : { again }),
});

const isKept = ({ spec }: MacHost): boolean => spec.release === 'Retain';

const stopJob: ReleaseStep = async ({ host }, { jobs }) => {
  // The job that removes the agent belongs to the release.
  if (jobs.of(host.metadata.name)?.plan !== REMOVAL) {
    await jobs.cancel(host.metadata.name, 'the host is released');
    delete host.status?.job;
  }
  return undefined;
};

/**
 * Another cluster or an operator uses a host that has another name. Also after a restore of etcd from a backup: the host of a machine that
 * was deleted meanwhile may serve another one.
 */
const leaveForeign: ReleaseStep = async (scope, deps) => {
  const foreign = await foreignName(scope);
  return foreign === undefined ? undefined : leaveToOthers('Releasing', scope, deps, named(foreign));
};

/** Name of the plan that removes what the machine put on the host. */
const REMOVAL = 'removal';

const removeRunner: ReleaseStep = async ({ host }, { forge, events }) => {
  const { consumerRef, desired } = host.spec;
  const runner = desired?.ghActionsRunner;
  if (!runner || !consumerRef) return undefined;
  const name = desired.nodeName;
  try {
    if (await forge.remove(consumerRef.namespace, runner, name)) return undefined;
  } catch (error) {
    if (!needsOperator(error)) throw error;
    const note = `the runner ${name} is still registered with ${runner.ghOrg}; remove it there: ${messageOf(error)}`;
    events.record({ regarding: host, type: 'Warning', reason: 'RunnerNotRemoved', action: 'Release', note });
    return undefined;
  }
  return waiting(`the runner ${name} is running a job; the host is released after it`, RUNNER_POLL);
};

/**
 * A host that is not reinstalled loses its agent, its credentials and its runner first, because the agent would register the Node again. If
 * it returns to its pool, also its VMs, its images and everything else of the machine: the next machine may belong to others.
 * A host that does not respond is released without that after the deadline.
 */
const removeAgent: ReleaseStep = async (scope, deps) => {
  const { host, vendor } = scope;
  if (!(isKept(host) || !vendor?.can.reinstall) || !isTouched(scope)) return undefined;
  const { name } = host.metadata;
  const job = deps.jobs.of(name);
  const state = job?.plan === REMOVAL ? job.state : undefined;
  if (state?.kind === 'converged' && !state.report.error) return undefined;
  if (isOverdue(scope, deps)) {
    await deps.jobs.cancel(name, 'the agent could not be removed in time');
    const note =
      'the agent, its VMs and its credentials may still be on the host, and the agent may register its Node again; remove them by hand, or reinstall the host';
    deps.events.record({ regarding: host, type: 'Warning', reason: 'NotQuiesced', action: 'Release', note });
    return undefined;
  }
  if (state?.kind === 'queued' || state?.kind === 'running') return waiting('removing the agent from the host');
  if (state) {
    deps.jobs.forget(name);
    return waiting(`the agent could not be removed from the host: ${reasonOf(state)}`, REMOVAL_RETRY);
  }
  return (await startRemoval(scope, deps)) ? waiting('removing the agent from the host') : undefined;
};

const REMOVAL_RETRY = minutes(1);

function reasonOf(state: HostJobState): string {
  const error = state.kind === 'converged' ? state.report.error : state.kind === 'failed' ? state.error : undefined;
  return error instanceof CataloguedError ? error.message : 'see the provider log';
}

/** Nothing was ever installed on a host without a journal and without a Node. */
const isTouched = ({ host: { status = {} }, node }: HostScope): boolean =>
  (status.steps ?? []).length > 0 || status.servedSince !== undefined || node !== undefined;

const isOverdue = ({ host }: HostScope, { clock, settings }: HandlerDeps): boolean =>
  host.status?.stateSince !== undefined &&
  clock.now() - Date.parse(host.status.stateSince) > settings.bootstrap.deadline;

/** False if the host cannot be reached: its address is gone. */
async function startRemoval(scope: HostScope, deps: HandlerDeps): Promise<boolean> {
  const { host, server } = scope;
  const address = sshAddressOf(scope, deps);
  if (!server || !address) return false;
  const access = await deps.credentials.access(host, server);
  deps.jobs.start({
    host,
    kind: 'converge',
    address,
    access,
    fleetKey: await deps.credentials.fleetKey(host),
    plan: isKept(host) ? quiescePlan() : releasePlan(),
    desired: REMOVAL,
    allow: 'running VMs',
    reboot: 'never',
  });
  return true;
}

const reinstall: ReleaseStep = async (scope, deps) => {
  const { host, vendor } = scope;
  if (isKept(host) || !vendor?.can.reinstall) return undefined;
  const server = await readServer(scope);
  if (!server || server.state === 'broken') return undefined;
  if (server.state === 'busy') {
    // In the pool, the host is busy with the reinstallation that was requested before the rename. Elsewhere it may only restart.
    if (server.name.startsWith(host.spec.pool)) return undefined;
    return waiting(`the vendor reports the server as ${server.stateWord}; it is reinstalled after that`, VENDOR_POLL);
  }
  const image = await imageFor(host, server, { vendor, deps });
  await fenceHost(deps.client, host, deps.clusterId);
  await vendor.reinstall(server, image);
  await deps.credentials.forget(host);
  return undefined;
};

/** Undefined is the default image of the type: a host whose image and family were retired is still returned (I31). */
async function imageFor(
  host: MacHost,
  server: Server,
  { vendor, deps }: { readonly vendor: Vendor; readonly deps: HandlerDeps },
): Promise<string | undefined> {
  const os = host.spec.desired?.os ?? server.image.name;
  const choice = chooseImage(os, await vendor.images(server.zone, server.type));
  if (choice.image) return choice.image.name;
  const note = `${choice.sentence}; the host is reinstalled with the default image of ${server.type}`;
  deps.events.record({ regarding: host, type: 'Warning', reason: 'OSPinUnavailable', action: 'Release', note });
  return undefined;
}

const rename: ReleaseStep = async (scope, deps) => {
  const { host, vendor } = scope;
  const server = await readServer(scope);
  if (!vendor || !server) return undefined;
  const name = isKept(host) ? retainedName(host) : poolName(host);
  if (server.name === name) return undefined;
  await fenceHost(deps.client, host, deps.clusterId);
  await vendor.rename(server, name);
  return undefined;
};

const removeNode: ReleaseStep = async (scope, deps) => {
  await deleteOwnNode(scope, deps);
  return undefined;
};

async function free(scope: HostScope, deps: HandlerDeps): Promise<StateResult> {
  const { host } = scope;
  const { client, clock, clusterId, events } = deps;
  const kept = isKept(host);
  const reason = kept ? 'Retained' : host.status?.remedies?.giveUp ? 'GaveUp' : 'Returned';
  if (!kept) updateRecord(scope, reason, clock.now());
  // Written before the hold ends: a crash in between must lose neither the reason nor a quarantine.
  if (!isReleaseRecorded(host, reason, clock.now())) return waiting('the release is recorded', NEXT_RECONCILE);
  const quarantine = kept ? { quarantine: retention(host, clock.now()) } : {};
  await freeHost(client, host, { clusterId, ...quarantine });
  const note = `the host ${host.metadata.name} is ${kept ? 'left unchanged' : `returned as ${poolName(host)}`}`;
  events.record({ regarding: host, type: 'Normal', reason: 'Released', action: 'Release', note });
  return waiting('the host is released', NEXT_RECONCILE);
}

function updateRecord({ host, server }: HostScope, reason: HostRelease['reason'], now: number): void {
  const { failures: _failures, returns: _returns, quarantine: _quarantine, ...status } = host.status ?? {};
  const how = reason === 'GaveUp' ? 'GaveUp' : 'Returned';
  const broken = server?.state === 'broken' ? { untilInspected: 'HostBroken' } : {};
  host.status = { ...status, ...recordReturn(host, { how, now, ...broken }) };
}

/** Quarantine of a retained host, which is part of the write that ends the hold. */
function retention({ metadata, spec }: MacHost, now: number): MacHost['spec']['quarantine'] {
  const { namespace, name } = spec.consumerRef ?? {};
  const retained = spec.consumerRef?.name ?? metadata.name;
  return {
    reason: `Retained by ${namespace}/${name}: left unchanged and renamed to retained-${retained}. To return it: reinstall it, rename it into its pool, then run minifleet release ${metadata.name}`,
    since: timestamp(now),
  };
}

/** Read from the vendor, because the list may be older than the last rename. Undefined if the server no longer exists. */
async function readServer({ host, vendor, server }: HostScope): Promise<Server | undefined> {
  const { scaleway } = host.spec.source;
  if (!vendor || !scaleway) return server;
  try {
    return await vendor.server({ zone: scaleway.zone, id: scaleway.serverID });
  } catch (error) {
    if (error instanceof CataloguedError && error.code === VENDOR_SERVER_UNKNOWN.code) return undefined;
    throw error;
  }
}
