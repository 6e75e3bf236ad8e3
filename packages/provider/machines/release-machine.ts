import { type InfraMachine, type MacHost, macHost, type machineConditions, type ReasonOf } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { againIn, findCondition, isConditionTrue, type Outcome } from '@minifleet/kube';
import { renderMacHost } from './claim-mac-host.ts';
import { currentHold, isReleasedFrom } from './judge-hold.ts';
import type { MachineDeps, MachineScope } from './machine-scope.ts';
import { isDetachedByHand } from './older-status.ts';
import { describeFailure, noteCondition } from './phase.ts';
import { notReady, observeGeneration } from './ready.ts';

type DeletingReason = ReasonOf<typeof machineConditions, 'Deleting'>;

/** Result of the release. Its reason is one of the condition Deleting and shows where a deletion is stuck. */
export type ReleaseEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'waiting'; readonly reason: DeletingReason; readonly message: string };

/** The host controller writes the MacHost whenever something changes; this is for a lost event. */
const HOST_POLL = minutes(5);

/**
 * Revokes the join token, requests the release of the host, and waits until the host no longer names this machine. Every step can be
 * repeated: each reconcile runs all of them.
 */
export async function releaseMachine(scope: MachineScope, deps: MachineDeps): Promise<ReleaseEnd> {
  if (isDetachedByHand(scope)) return retain(scope, deps);
  announce(scope, deps);
  let reason: DeletingReason = 'RevokingCredentials';
  try {
    await deps.join.withdraw(scope.machine);
    reason = scope.machine.spec.hostRelease === 'Retain' ? 'RetainingHost' : 'ReturningHost';
    const end = await releaseHost(scope, deps, reason);
    note(scope, deps, end.kind === 'done' ? COMPLETED : end);
    return end;
  } catch (error) {
    note(scope, deps, { reason, message: describeFailure('Deleting', error).message });
    throw error;
  }
}

/** Written before anything is done on the host, so that the decision stays when the annotation is removed. The write starts the next reconcile. */
function retain({ machine }: MachineScope, deps: MachineDeps): ReleaseEnd {
  machine.spec.hostRelease = 'Retain';
  const message =
    'the machine is paused and its status.serverID was cleared, so the provider sets hostRelease: Retain and neither reinstalls its host nor returns it to a pool; use minifleet detach instead';
  deps.events.record({ regarding: machine, type: 'Warning', reason: 'HostRetained', action: 'Release', note: message });
  const end = { kind: 'waiting', reason: 'RetainingHost', message } as const;
  note({ machine }, deps, end);
  return end;
}

const COMPLETED = { reason: 'DeletionCompleted', message: 'the host is released' } as const;

async function releaseHost(scope: MachineScope, deps: MachineDeps, reason: DeletingReason): Promise<ReleaseEnd> {
  const { machine } = scope;
  const { host, hold } = await currentHold(deps.client, { machine, host: await lastHost(scope, deps) }, deps.clusterId);
  if (hold.kind === 'held' || hold.kind === 'later') {
    const { name } = host?.metadata ?? { name: '' };
    await renderMacHost(deps, machine, name, { release: machine.spec.hostRelease });
    return { kind: 'waiting', reason, message: releaseMessage(host) };
  }
  report(machine, { host, why: hold.kind === 'not held' ? hold.why : 'it belongs to another cluster' }, deps);
  // Removed from spec, so that the next reconcile does not report a lost claim.
  delete machine.spec.claimRef;
  return { kind: 'done' };
}

/** A machine without a claimRef may hold a host that the cache does not show yet: a claim was written and its provider crashed. */
async function lastHost({ machine, host }: MachineScope, { client }: MachineDeps): Promise<MacHost | undefined> {
  if (host || machine.spec.claimRef) return host;
  const { items } = await client.list(macHost.resource);
  return items.find(({ spec }) => spec.consumerRef?.uid === machine.metadata.uid);
}

const STATE = /^Releasing: /;

function releaseMessage(host: MacHost | undefined): string {
  const ready = host && findCondition(host, 'Ready');
  if (host?.status?.state !== 'Releasing' || !ready) return 'the release of the host is requested';
  return ready.message.replace(STATE, '');
}

interface ReleasedHost {
  readonly host: MacHost | undefined;
  readonly why: string;
}

const END_OF_HOST: Readonly<Record<string, string>> = {
  Retained: 'is left unchanged and in quarantine',
  Vanished: 'no longer exists at the vendor',
};

/** A machine that never had a host has nothing to report. */
function report(machine: InfraMachine, { host, why }: ReleasedHost, { events }: MachineDeps): void {
  if (!machine.spec.claimRef) return;
  const reason = host && isReleasedFrom(host, machine);
  const { name } = machine.spec.claimRef;
  const action = 'Release';
  if (reason === undefined || reason === 'LeftToOthers') {
    const note = `the host ${name} is left alone: ${reason ? 'its server was renamed at the vendor' : why}`;
    events.record({ regarding: machine, type: 'Warning', reason: 'ReleaseSkipped', action, note });
    return;
  }
  const note = `the host ${name} ${END_OF_HOST[reason] ?? 'is returned to its pool'}`;
  events.record({ regarding: machine, type: 'Normal', reason: 'Released', action, note });
}

/** Once, before anything is done: the first reconcile writes the condition. */
function announce({ machine }: MachineScope, { events }: MachineDeps): void {
  if (isConditionTrue(machine, 'Deleting')) return;
  const note = `releasing the host (hostRelease: ${machine.spec.hostRelease})`;
  events.record({ regarding: machine, type: 'Normal', reason: 'Releasing', action: 'Release', note });
}

function note(
  { machine }: Pick<MachineScope, 'machine'>,
  { clock }: MachineDeps,
  { reason, message }: { readonly reason: DeletingReason; readonly message: string },
): void {
  noteCondition(machine, clock, { type: 'Deleting', status: 'True', reason, message });
  noteCondition(machine, clock, notReady('Deleting', reason, message));
  observeGeneration(machine);
}

export const outcomeOfRelease = ({ reason, message }: Extract<ReleaseEnd, { kind: 'waiting' }>): Outcome =>
  againIn(HOST_POLL, `${reason}: ${message}`);
