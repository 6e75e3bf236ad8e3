import type { HostStep, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';
import { isBootstrapped, type Situation } from './decide-host-work.ts';
import { isIdle, type Occupancy } from './disturbance.ts';
import { guestsOnHost } from './guests-on-host.ts';
import type { Job } from './host-work.ts';
import { inspectionTime } from './inspection-time.ts';
import { isOver, uidOf } from './job-entry.ts';
import { failingStep, journalOf } from './journal/journal.ts';
import { fleetHost, readFleet } from './rolls/read-fleet.ts';
import { type RollPermission, rollPermission } from './rolls/roll-permission.ts';
import { waveOf } from './wanted-spec.ts';

/** What was found out for a decision; whether it is this host's turn is another matter: see `situationNow`. */
export interface Looked {
  readonly facts: Omit<Situation, 'permission' | 'inspectAt'>;
  readonly occupancy: Occupancy;
  readonly fleet: readonly ScalewayAppleSiliconMachine[];
}

/** Whether the host has a Node of this machine. */
export const isJoined = ({ samm, node }: MachineScope): boolean =>
  samm.spec.providerID !== undefined && node?.spec?.providerID === samm.spec.providerID;

/** Gathers what a decision needs. The API is asked only for what this decision can turn on. */
export async function lookAtSituation(
  scope: MachineScope,
  parts: MachineParts,
  { job, desired }: { readonly job: Job | undefined; readonly desired: string },
): Promise<Looked> {
  const { samm, node, found } = scope;
  const { clock, settings, vendors } = parts;
  const { plan = {}, steps = [], job: told } = journalOf(samm.status);
  const joined = isJoined(scope);
  const bootstrapped = isBootstrapped({ plan, joined });
  const open =
    job === undefined && bootstrapped && (told !== undefined || plan.applied !== desired || steps.some(isOpen));
  const guests = open ? await guestsOnHost(scope, parts) : 0;
  const mayGo = (among: Looked['fleet']): boolean => turnAmong(among, { samm, desired }, parts).go;
  const fleet = open && plan.applied !== desired ? await readFleet(samm, parts, mayGo) : [];
  const takesGuests = samm.spec.ghActionsRunner === undefined && node?.spec?.unschedulable !== true;
  const occupancy = { bootstrapped, guests, takesGuests };
  const can = failingStep(steps) ? (await vendors.for(samm.spec.zone)).can : { reboot: false, reinstall: false };
  const facts = {
    now: clock.now(),
    desired,
    plan,
    steps,
    job: job === undefined ? 'none' : stateOf(job),
    runTold: told !== undefined,
    joined,
    server: found.server?.state ?? 'ready',
    guests,
    mayBoot: bootstrapped && isIdle(occupancy),
    canRestart: can.reboot,
    canWipe: can.reinstall,
    // Its key is pinned once it has let us in.
    letIn: found.access?.hostKey !== undefined,
    settings: settings.bootstrap,
  } as const;
  return { facts, occupancy, fleet };
}

const isOpen = ({ state }: HostStep): boolean => state !== 'Done';

function stateOf(job: Job): Situation['job'] {
  if (isOver(job)) return 'ended';
  return job.state.kind === 'queued' ? 'queued' : 'running';
}

/**
 * The situation at this very moment. Work that is decided on it is begun before anything is awaited: whoever asks for a turn
 * after us then sees that we work. The others are as the API server has them, ourselves as this pass does.
 */
export function situationNow({ facts, fleet }: Looked, { samm }: MachineScope, parts: MachineParts): Situation {
  const { plan = {}, steps = [] } = journalOf(samm.status);
  const permission = turnAmong(fleet, { samm, desired: facts.desired }, parts);
  const inspectAt = inspectionTime(uidOf(samm), plan.appliedTime, parts.settings.inspection.every);
  return { ...facts, plan, steps, permission, inspectAt };
}

function turnAmong(
  fleet: Looked['fleet'],
  { samm, desired }: { readonly samm: ScalewayAppleSiliconMachine; readonly desired: string },
  { settings, work }: MachineParts,
): RollPermission {
  const me = samm.metadata.name;
  const others = fleet.filter(({ metadata }) => metadata.name !== me);
  return rollPermission({
    hosts: [samm, ...others].map(one => fleetHost(one, work)),
    me,
    wave: waveOf(desired) ?? '',
    maxUnavailable: settings.rolls.maxUnavailable,
  });
}
