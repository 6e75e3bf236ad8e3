import type { HostStep, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type Clock, type Duration, minutes } from '@minifleet/clock';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';
import { bakeOnHost } from './bake-on-host.ts';
import { isBootstrapped, type Situation } from './decide-host-work.ts';
import { isIdle, type Occupancy } from './disturbance.ts';
import { guestsOnHost } from './guests-on-host.ts';
import { hasServed } from './has-served.ts';
import type { Job } from './host-work.ts';
import { inspectEvery } from './inspect-every.ts';
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
  const served = hasServed(samm);
  const bootstrapped = isBootstrapped({ plan, joined, served });
  const open =
    job === undefined && bootstrapped && (told !== undefined || plan.applied !== desired || steps.some(isOpen));
  const [onNode, bake] = open ? await Promise.all([guestsOnHost(scope, parts), bakeOnHost(scope, parts)]) : [0];
  const guests = onNode + (bake === undefined ? 0 : 1);
  const mayGo = (among: Looked['fleet']): boolean => turnAmong(among, { samm, desired }, parts).go;
  const fleet = open && plan.applied !== desired ? await readFleet(samm, parts, mayGo) : [];
  const builds = samm.spec.ghActionsRunner !== undefined;
  // A runner takes its next job whenever it likes: no cordon keeps it from that.
  const occupancy = { bootstrapped, guests, takesGuests: builds || node?.spec?.unschedulable !== true };
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
    bake,
    // Right before the boot a builder's runner is taken out of the forge; where that is refused, not at once again.
    mayBoot:
      bootstrapped && (builds ? guests === 0 && isOlderThan(plan.appliedTime, A_WHILE, clock) : isIdle(occupancy)),
    canRestart: can.reboot,
    canWipe: can.reinstall,
    // Its key is pinned once it has let us in.
    letIn: found.access?.hostKey !== undefined,
    served,
    settings: settings.bootstrap,
  } as const;
  return { facts, occupancy, fleet };
}

const A_WHILE = minutes(1);

const isOlderThan = (time: string | undefined, age: Duration, clock: Clock): boolean =>
  time !== undefined && clock.now() - Date.parse(time) >= age;

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
  const every = inspectEvery(samm, parts.settings.inspection.every);
  const inspectAt = inspectionTime(uidOf(samm), plan.appliedTime, every);
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
