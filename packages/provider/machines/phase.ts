import type { machineConditions, ReasonOf } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import type { MachineParts } from './parts.ts';
import type { MachineScope } from './scope.ts';

export type MachineConditionType = keyof typeof machineConditions;

/**
 * How a phase ended. `passed`: its condition is True and the next phase runs. `waiting`: False, and the list stops here,
 * until a watch wakes the machine or `again` is over. `noted`: False, though nothing that comes after depends on it.
 */
export type PhaseEnd<Reason extends string = string> =
  | { readonly kind: 'passed'; readonly reason: Reason; readonly message?: string; readonly again?: Duration }
  | { readonly kind: 'waiting'; readonly reason: Reason; readonly message: string; readonly again?: Duration }
  | { readonly kind: 'noted'; readonly reason: Reason; readonly message: string; readonly again?: Duration };

/** One step of a machine's life. It owns exactly one condition: nothing else writes it. */
export interface Phase<Type extends MachineConditionType = MachineConditionType> {
  readonly condition: Type;
  run(scope: MachineScope, parts: MachineParts): Promise<PhaseEnd<ReasonOf<typeof machineConditions, Type>>>;
}

/** Keeps the reasons of the condition for the compiler. What it throws from the catalogue becomes the condition's words. */
export const phase = <Type extends MachineConditionType>(condition: Type, run: Phase<Type>['run']): Phase<Type> => ({
  condition,
  run,
});

export const passed = <Reason extends string>(reason: Reason, message = '', again?: Duration): PhaseEnd<Reason> => ({
  kind: 'passed',
  reason,
  message,
  ...(again === undefined ? {} : { again }),
});

export const waiting = <Reason extends string>(
  reason: Reason,
  message: string,
  again?: Duration,
): PhaseEnd<Reason> => ({
  kind: 'waiting',
  reason,
  message,
  ...(again === undefined ? {} : { again }),
});

export const noted = <Reason extends string>(reason: Reason, message: string, again?: Duration): PhaseEnd<Reason> => ({
  kind: 'noted',
  reason,
  message,
  ...(again === undefined ? {} : { again }),
});

/** How a step of the release ended; its reason is one of the condition Deleting and says where a stuck deletion is. */
export type ReleaseEnd =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'waiting';
      readonly reason: ReasonOf<typeof machineConditions, 'Deleting'>;
      readonly message: string;
      readonly again?: Duration;
    };

/** One step of a machine's release. All are safe to repeat: a pass runs them from the first. */
export interface ReleasePhase {
  readonly reason: ReasonOf<typeof machineConditions, 'Deleting'>;
  run(scope: MachineScope, parts: MachineParts): Promise<ReleaseEnd>;
}
