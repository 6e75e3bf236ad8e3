import type { machineConditions, ReasonOf, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { findCondition } from '@minifleet/kube';
import { type MachineNote, noteCondition } from './note-condition.ts';
import type { MachineConditionType } from './phase.ts';
import type { PhasesRun, Reached } from './run-phases.ts';

type Despite = { readonly [Type in MachineConditionType]?: readonly ReasonOf<typeof machineConditions, Type>[] };

/**
 * What may be noted of a host that is Ready all the same: advice, or what is tried again while its Node tells whether it works.
 * Everything else that is noted counts: a roll that failed for good keeps Ready False until it is resolved (I32).
 */
const READY_DESPITE: Despite = {
  OSImageCurrent: ['ImageRetired', 'FamilyNotOffered', 'CatalogueUnavailable'],
  HostBootstrapped: ['StepWaiting', 'DriftFound', 'HostUnreachable'],
};

/** Ready as the phases have it: False names the first that does not hold, with its words. */
export function readyFrom(reached: readonly Reached[]): MachineNote<'Ready'> {
  const first = reached.find(spoils);
  if (!first) return { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  return notReady(first.condition, first.end.reason, first.end.message ?? '');
}

export const notReady = (condition: MachineConditionType, reason: string, words: string): MachineNote<'Ready'> => ({
  type: 'Ready',
  status: 'False',
  reason: 'NotReady',
  message: `${condition} ${reason}: ${words}`,
});

/** After the phases: Ready, and which generation it is about. A pass that could not look leaves Ready as it was. */
export function summarise(samm: ScalewayAppleSiliconMachine, { reached, blind }: PhasesRun, clock: Clock): void {
  if (!blind || !findCondition(samm, 'Ready')) noteCondition(samm, clock, readyFrom(reached));
  observe(samm);
}

export function observe(samm: ScalewayAppleSiliconMachine): void {
  if (samm.metadata.generation === undefined) return;
  samm.status = { ...samm.status, observedGeneration: samm.metadata.generation };
}

function spoils({ condition, end }: Reached): boolean {
  if (end.kind === 'passed') return false;
  const harmless: readonly string[] = READY_DESPITE[condition] ?? [];
  return end.kind === 'waiting' || !harmless.includes(end.reason);
}
