import type { InfraMachine, machineConditions, ReasonOf } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { findCondition } from '@minifleet/kube';
import { type MachineConditionType, type MachineNote, noteCondition } from './phase.ts';
import type { PhaseResult, PhasesRun } from './run-phases.ts';

type HarmlessReasons = {
  readonly [Type in MachineConditionType]?: readonly ReasonOf<typeof machineConditions, Type>[];
};

/**
 * Noted reasons with which a host is Ready all the same: advice, or a failure that is retried while its Node shows whether it works. Every
 * other noted reason keeps Ready False: a rollout that failed for good does so until it is resolved (I32).
 */
const READY_DESPITE: HarmlessReasons = {
  OSImageCurrent: ['ImageRetired', 'FamilyNotOffered', 'CatalogueUnavailable'],
  HostBootstrapped: ['StepWaiting', 'DriftFound', 'HostUnreachable'],
};

/** Ready, from the results of the phases. False names the first phase that prevents it, with its message. */
export function readyFrom(results: readonly PhaseResult[]): MachineNote<'Ready'> {
  const first = results.find(prevents);
  if (!first) return { type: 'Ready', status: 'True', reason: 'Ready', message: '' };
  return notReady(first.condition, first.end.reason, first.end.message ?? '');
}

export const notReady = (condition: MachineConditionType, reason: string, message: string): MachineNote<'Ready'> => ({
  type: 'Ready',
  status: 'False',
  reason: 'NotReady',
  message: `${condition} ${reason}: ${message}`,
});

/** Sets Ready and the observed generation. A run that could not observe leaves Ready as it was. */
export function summarize(machine: InfraMachine, { results, unobserved }: PhasesRun, clock: Clock): void {
  if (!unobserved || !findCondition(machine, 'Ready')) noteCondition(machine, clock, readyFrom(results));
  observeGeneration(machine);
}

export function observeGeneration(machine: InfraMachine): void {
  if (machine.metadata.generation === undefined) return;
  machine.status = { ...machine.status, observedGeneration: machine.metadata.generation };
}

function prevents({ condition, end }: PhaseResult): boolean {
  if (end.kind === 'passed') return false;
  const harmless: readonly string[] = READY_DESPITE[condition] ?? [];
  return end.kind === 'waiting' || !harmless.includes(end.reason);
}
