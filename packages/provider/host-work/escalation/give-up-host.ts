import { machineReasons, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { Released } from '../../claims/claims.ts';
import type { MachineParts } from '../../machines/parts.ts';
import type { MachineScope } from '../../machines/scope.ts';
import { forgetServed } from '../has-served.ts';
import { cut } from '../journal/entry-words.ts';
import { failingStep, OF_THE_HOST, statusOf, withSteps, writeJournal } from '../journal/journal.ts';

/** Whether the machine is on its way to another host; its claim may be gone already. */
export const isGivingUp = ({ status }: ScalewayAppleSiliconMachine): boolean =>
  status?.steps?.some(({ name }) => name === OF_THE_HOST.givingUp) ?? false;

/** Notes on the host what it failed at, then on the machine that it is given up: from here on there is no way back. */
export async function announceGivingUp({ samm }: MachineScope, { claims, clock }: MachineParts): Promise<void> {
  const status = statusOf(samm);
  const steps = status.steps ?? [];
  const failing = failingStep(steps);
  const { name: step = OF_THE_HOST.host, reason = machineReasons.StepFailed, message = '' } = failing ?? {};
  await claims.recordFailure(hostOf(samm), { step, reason, message });
  const words = `given up after ${failing?.attempts ?? 0} consecutive failures at ${step}: ${message}`;
  const news = { name: OF_THE_HOST.givingUp, state: 'Waiting', reason, message: cut(words) } as const;
  status.steps = withSteps(steps, [news], timestamp(clock.now()));
}

/** Puts the host aside, wiped, and makes the machine one without a host. Safe to repeat until it is released. */
export async function giveUpHost(scope: MachineScope, parts: MachineParts): Promise<Released> {
  const { samm, claim } = scope;
  if (!claim) throw new Error('cannot give up a host before its claim is read');
  const released = await parts.claims.release(samm, claim, { how: 'Quarantine', os: samm.spec.os });
  if (released.kind === 'waiting') return released;
  // What is pinned and known there is of the host that went.
  await parts.credentials.forget(samm);
  parts.events.record({
    regarding: samm,
    type: 'Warning',
    reason: machineReasons.HostGivenUp,
    action: 'GiveUp',
    note: `host ${hostOf(samm)} was quarantined: ${samm.status?.steps?.find(({ name }) => name === OF_THE_HOST.givingUp)?.message ?? ''}`,
  });
  forgetHost(samm);
  return released;
}

/** Everything that tells of one host; the next one starts from nothing. */
export function forgetHost(samm: ScalewayAppleSiliconMachine): void {
  forgetServed(samm);
  delete samm.spec.claimRef;
  delete samm.spec.providerID;
  const status = statusOf(samm);
  writeJournal(status, {});
  delete status.addresses;
  delete status.osImage;
  delete status.serverID;
}

const hostOf = ({ spec }: ScalewayAppleSiliconMachine): string => spec.claimRef?.name ?? '';
