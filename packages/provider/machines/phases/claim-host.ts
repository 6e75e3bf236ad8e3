import type { MacHost, machineConditions, ReasonOf } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { findCondition, isConditionTrue } from '@minifleet/kube';
import { namedHost, providerIDOf } from '../../cluster-api/host-ids.ts';
import { chooseMacHosts, requirementsOf } from '../choose-mac-host.ts';
import { claimMacHost, desiredHost, isSameDesired, renderMacHost, takeOverMacHost } from '../claim-mac-host.ts';
import { currentHold, type HostHold, isReleasedFrom } from '../judge-hold.ts';
import type { MachineDeps, MachineScope } from '../machine-scope.ts';
import { blockMove } from '../machine-scope.ts';
import { showHost } from '../mirror-host.ts';
import { forgetOlderConditions, forgetServerID, showServerID } from '../older-status.ts';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';

type HostClaimEnd = PhaseEnd<ReasonOf<typeof machineConditions, 'HostClaimed'>>;

/** A host that becomes Available wakes waiting machines; this is for what no event reports, such as the end of a quarantine. */
const HOST_POLL = minutes(1);
const LOST_POLL = minutes(5);
const NEXT_RECONCILE = seconds(1);

/**
 * One host for this machine alone, in an order that may be interrupted anywhere: the consumer in the MacHost, then spec.claimRef in a
 * write of its own. Only then does the host controller act. A host that is not, or no longer, held by this machine is left alone.
 */
export const claimHost = phase('HostClaimed', async (scope, deps): Promise<HostClaimEnd> => {
  const { machine } = scope;
  if (!machine.spec.claimRef && !scope.host) return claim(scope, deps);
  const { host, hold } = await currentHold(deps.client, scope, deps.clusterId);
  if (hold.kind === 'not held') return notHeld(scope, host, { hold, deps });
  const held = hold.kind === 'moved' && host ? await takeOverMacHost(deps, machine, host) : host;
  if (!held) return waiting('ClaimLost', 'the host was claimed again while it was taken over', NEXT_RECONCILE);
  if (noteClaim(scope, held))
    return waiting('ReservationPending', `the MacHost ${held.metadata.name} is held; spec.claimRef is written first`);
  return show(scope, held, deps);
});

async function claim(scope: MachineScope, deps: MachineDeps): Promise<HostClaimEnd> {
  const { machine } = scope;
  const known = namedHost(machine);
  if (known !== undefined) return claimAgain(scope, known, deps);
  const { clusterId, clock, settings, hosts, reserved } = deps;
  const required = requirementsOf(machine, { clusterId, now: clock.now(), defaultPool: settings.defaultPoolPrefix });
  if (required.pool === '')
    return waiting('NoAdoptPoolPrefix', 'neither the machine nor the provider default names a pool');
  const choice = chooseMacHosts(required, hosts());
  let lost = 0;
  for (const candidate of choice.hosts) {
    const { name, resourceVersion = '' } = candidate.metadata;
    // Reserved before the first await, so that each of many machines that choose from the same hosts tries another one.
    if (reserved.get(name) === resourceVersion) continue;
    reserved.set(name, resourceVersion);
    const claimed = await claimMacHost(deps, machine, name);
    if (claimed) return adopt(scope, claimed, deps);
    lost += 1;
  }
  const meanwhile = lost === 0 ? '' : `; ${lost} of them claimed by other machines meanwhile`;
  return waiting('NoHostAvailable', `${choice.why}${meanwhile}`, HOST_POLL);
}

function adopt(scope: MachineScope, host: MacHost, { events }: MachineDeps): HostClaimEnd {
  const { machine } = scope;
  noteClaim(scope, host);
  const { name } = host.metadata;
  const note = `claimed the host ${name}${host.spec.originalName ? ` (${host.spec.originalName} at the vendor)` : ''}`;
  events.record({ regarding: machine, type: 'Normal', reason: 'Adopting', action: 'Claim', note });
  // Only this controller removes claimRef, so the machine held a host before.
  if (isConditionTrue(machine, 'HostClaimed')) return waiting('HostGivenUp', `the previous host was given up; ${note}`);
  return waiting('ReservationPending', note);
}

/** True if spec did not name the host and epoch yet. The reconcile then ends, and the write starts the next one. */
function noteClaim({ machine }: MachineScope, host: MacHost): boolean {
  const { metadata, spec } = host;
  const { claimRef } = machine.spec;
  blockMove(machine, true);
  showServerID(machine, host);
  if (claimRef?.name === metadata.name && claimRef.epoch === spec.claimEpoch) return false;
  machine.spec.claimRef = { name: metadata.name, epoch: spec.claimEpoch };
  return true;
}

/**
 * Claims the host that the machine names, if the server has the name of this machine: after somebody deleted the MacHost, after a restore
 * from a backup, or for an object of the older system. Of several machines that name one host, one has its name (I13).
 */
async function claimAgain(scope: MachineScope, name: string, deps: MachineDeps): Promise<HostClaimEnd> {
  const { machine } = scope;
  const host = deps.hosts().find(({ metadata }) => metadata.name === name);
  if (!host?.status)
    return waiting(
      'ClaimLost',
      `the MacHost ${name} does not exist; waiting for discovery. If the server is gone, delete the Machine`,
      HOST_POLL,
    );
  const { consumerRef, source } = host.spec;
  if (consumerRef) {
    delete machine.spec.providerID;
    return waiting(
      'ClaimConflict',
      `the MacHost ${name} is held by ${consumerRef.namespace}/${consumerRef.name}`,
      LOST_POLL,
    );
  }
  if (host.status.state === 'Missing') return vanished(name);
  const { vendorName } = host.status;
  if (source.scaleway && vendorName !== machine.metadata.name) {
    // The hold ended before the server was renamed, for example because an operator deleted the MacHost. Nothing was done on the host.
    const isUntouched = machine.spec.claimRef !== undefined && machine.spec.providerID === undefined;
    if (isUntouched && vendorName?.startsWith(host.spec.pool)) {
      forgetHost(scope);
      return waiting(
        'ClaimLost',
        `the hold of the host ${name} ended before its bootstrap; claiming a host`,
        NEXT_RECONCILE,
      );
    }
    return waiting(
      'ClaimConflict',
      `the server of the MacHost ${name} is named ${vendorName} at the vendor`,
      LOST_POLL,
    );
  }
  const claimed = await claimMacHost(deps, machine, name);
  if (!claimed)
    return waiting('ClaimConflict', `the MacHost ${name} cannot be claimed; it is quarantined or held`, LOST_POLL);
  return adopt(scope, claimed, deps);
}

interface Lost {
  readonly hold: Extract<HostHold, { readonly kind: 'not held' }>;
  readonly deps: MachineDeps;
}

async function notHeld(scope: MachineScope, host: MacHost | undefined, { hold, deps }: Lost): Promise<HostClaimEnd> {
  const { machine } = scope;
  const released = host && isReleasedFrom(host, machine);
  if (released) {
    forgetHost(scope);
    return waiting(
      'HostGivenUp',
      `the host ${host.metadata.name} was given up (${released}); claiming another one`,
      NEXT_RECONCILE,
    );
  }
  if (host && !host.spec.consumerRef) return claimAgain(scope, host.metadata.name, deps);
  // Cluster API drains and deletes the Node with the providerID of a deleted Machine, and that Node is the holder's (I13).
  if (hold.reason === 'ClaimConflict') delete machine.spec.providerID;
  return waiting(hold.reason, hold.why, LOST_POLL);
}

function forgetHost({ machine }: MachineScope): void {
  delete machine.spec.claimRef;
  delete machine.spec.providerID;
  const { addresses: _addresses, osImage: _image, currentStep: _step, ...status } = machine.status ?? {};
  machine.status = status;
  forgetServerID(machine);
}

async function show({ machine }: MachineScope, host: MacHost, deps: MachineDeps): Promise<HostClaimEnd> {
  const { name } = host.metadata;
  const desired = desiredHost(machine, host);
  if (!isSameDesired(desired, host.spec.desired)) {
    const rendered = await renderMacHost(deps, machine, name, { desired });
    if (!rendered) return waiting('ClaimLost', `the MacHost ${name} has another consumer`, NEXT_RECONCILE);
  }
  if (host.status?.state === 'Missing') return vanished(name);
  const mirrored = findCondition(host, 'NameMirrored');
  if (mirrored?.status !== 'True' && host.status?.servedSince === undefined)
    return waiting(
      mirrored?.reason === 'VendorUnavailable' ? 'VendorUnavailable' : 'ReservationPending',
      mirrored?.message || 'the vendor does not report the new name yet',
    );
  machine.spec.providerID ??= providerIDOf(host);
  showHost(machine, host);
  forgetOlderConditions(machine, host);
  return passed('HostClaimed', describe(host));
}

const vanished = (name: string): HostClaimEnd =>
  waiting('HostVanished', `the host ${name} no longer exists at the vendor; delete the Machine to get another host`);

function describe({ metadata, spec, status }: MacHost): string {
  const type = status?.hardware?.type ? `, ${status.hardware.type}` : '';
  const where = spec.source.scaleway ? ` in ${spec.source.scaleway.zone}` : ` at ${spec.source.owned?.address}`;
  const name = findCondition({ metadata, status: status ?? {} }, 'NameMirrored');
  const taken = name?.reason === 'NameTaken' ? `; ${name.message}` : '';
  return `host ${metadata.name}${type}${where}${taken}`;
}
