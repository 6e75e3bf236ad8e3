import type { Secret } from '@minifleet/secret';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';
import type { Decision } from './decide-host-work.ts';
import { disturbanceFor, type Occupancy } from './disturbance.ts';
import type { Job } from './host-work.ts';
import { attemptsOf, journalOf } from './journal/journal.ts';
import { type WantedFrom, wantedHost } from './wanted-spec.ts';

export type Work = Extract<Decision, { do: 'bootstrap' | 'roll' | 'repair' | 'inspect' }>;

export const isWork = (decision: Decision): decision is Work =>
  ['bootstrap', 'roll', 'repair', 'inspect'].includes(decision.do);

const RUNNER_STEP = 'actions-runner';
/** A Node takes guests and a runner takes jobs as soon as they are there. */
const TAKES_WORK: readonly string[] = ['agent-job', RUNNER_STEP];

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
    ...disturbanceFor(occupancy),
    attempts: attemptsOf(journalOf(scope.samm.status).steps ?? []),
    ...(work.do === 'repair' && work.only ? { only: work.only } : {}),
    ...(work.do === 'bootstrap' ? { lastly: TAKES_WORK } : {}),
  });
}
