import { WORKLOAD_STEPS } from '@minifleet/host';
import type { Secret } from '@minifleet/secret';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';
import { bakeOnHost } from './bake-on-host.ts';
import type { Decision } from './decide-host-work.ts';
import { disturbanceFor, type Occupancy } from './disturbance.ts';
import { guestsOnHost } from './guests-on-host.ts';
import type { Job } from './host-work.ts';
import { attemptsOf, journalOf } from './journal/journal.ts';
import { type WantedFrom, wantedHost } from './wanted-spec.ts';

export type Work = Extract<Decision, { do: 'bootstrap' | 'roll' | 'repair' | 'inspect' }>;

export const isWork = (decision: Decision): decision is Work =>
  ['bootstrap', 'roll', 'repair', 'inspect'].includes(decision.do);

const RUNNER_STEP = 'actions-runner';

/** A token to register a builder's runner with, where this work may come to that. */
export async function tokenFor(
  work: Work,
  { samm }: MachineScope,
  { runners }: MachineParts,
): Promise<Secret | undefined> {
  const { ghActionsRunner } = samm.spec;
  if (!ghActionsRunner || !runners || work.do === 'inspect') return undefined;
  if (work.do === 'repair' && work.only && !work.only.includes(RUNNER_STEP)) return undefined;
  return runners.token(samm.metadata.namespace ?? '', ghActionsRunner);
}

interface Starting {
  readonly scope: MachineScope;
  readonly parts: MachineParts;
  readonly wanted: WantedFrom;
  readonly occupancy: Occupancy;
}

/** Hands the work over; at once, since whoever decides next looks at what is under way. */
export function startWork(work: Work, { scope, parts, wanted, occupancy }: Starting): Job {
  const { plan, desired } = wantedHost(wanted);
  return parts.work.start({
    scope,
    kind: work.do === 'inspect' ? 'inspect' : 'converge',
    plan,
    desired,
    ...disturbanceFor(isBoot(work) ? { ...occupancy, takesGuests: false } : occupancy),
    ...(occupancy.bootstrapped ? { mayReboot: () => isEmpty(scope, parts) } : {}),
    attempts: attemptsOf(journalOf(scope.samm.status).steps ?? []),
    ...(work.do === 'repair' && work.only ? { only: work.only } : {}),
    ...(work.do === 'bootstrap' ? { lastly: WORKLOAD_STEPS } : {}),
  });
}

const isBoot = (work: Work): boolean => work.do === 'repair' && work.boots === true;

/**
 * What cannot be found out counts as work: a reboot can wait. A runner takes jobs from one moment to the next, and only its removal in
 * the forge tells for sure that it has none; after the boot the forge misses it, and it is registered anew.
 */
async function isEmpty(scope: MachineScope, parts: MachineParts): Promise<boolean> {
  const { ghActionsRunner } = scope.samm.spec;
  const { name, namespace = '' } = scope.samm.metadata;
  try {
    if ((await guestsOnHost(scope, parts)) > 0 || (await bakeOnHost(scope, parts)) !== undefined) return false;
    return ghActionsRunner === undefined || (await parts.runners?.remove(namespace, ghActionsRunner, name)) === true;
  } catch {
    return false;
  }
}
