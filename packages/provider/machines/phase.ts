import { type Condition, type InfraMachine, machineConditions, type ReasonOf } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { setCondition } from '@minifleet/kube';
import type { MachineDeps, MachineScope } from './machine-scope.ts';

export type MachineConditionType = keyof typeof machineConditions;
export type MachineReason = ReasonOf<typeof machineConditions>;

/**
 * Result of a phase. `passed`: its condition is True and the next phase runs. `waiting`: its condition is False and no later phase runs
 * until a watch event or until `again` is over. `noted`: its condition is False, but the later phases do not depend on it.
 */
export type PhaseEnd<Reason extends string = string> =
  | { readonly kind: 'passed'; readonly reason: Reason; readonly message?: string; readonly again?: Duration }
  | { readonly kind: 'waiting'; readonly reason: Reason; readonly message: string; readonly again?: Duration }
  | { readonly kind: 'noted'; readonly reason: Reason; readonly message: string; readonly again?: Duration };

/** A part of the way to a Ready Node. Each phase owns one condition that nothing else writes. */
export interface Phase<Type extends MachineConditionType = MachineConditionType> {
  readonly condition: Type;
  run(scope: MachineScope, deps: MachineDeps): Promise<PhaseEnd<ReasonOf<typeof machineConditions, Type>>>;
}

/** Keeps the reasons of the condition for the compiler. A catalogued error that a phase throws becomes the message of its condition. */
export const phase = <Type extends MachineConditionType>(condition: Type, run: Phase<Type>['run']): Phase<Type> => ({
  condition,
  run,
});

const end =
  <Kind extends PhaseEnd['kind']>(kind: Kind) =>
  <Reason extends string>(reason: Reason, message = '', again?: Duration) => ({
    kind,
    reason,
    message,
    ...(again === undefined ? {} : { again }),
  });

export const passed = end('passed');
export const waiting = end('waiting');
export const noted = end('noted');

export interface MachineNote<Type extends MachineConditionType = MachineConditionType> {
  readonly type: Type;
  readonly status: Condition['status'];
  readonly reason: ReasonOf<typeof machineConditions, Type>;
  readonly message: string;
}

/** Sets a condition of a machine; a reason that its catalogue does not have is a compile error. */
export function noteCondition<Type extends MachineConditionType>(
  machine: InfraMachine,
  clock: Clock,
  note: MachineNote<Type>,
): void {
  setCondition(machine, note, clock);
}

/**
 * Reason and message of an error in the condition of a phase. Only messages of the catalogue are shown: other messages may quote a host
 * or a server, and the log has them.
 */
export function describeFailure(
  condition: MachineConditionType,
  error: unknown,
): { readonly reason: MachineReason; readonly message: string } {
  const { reasons } = machineConditions[condition];
  if (!(error instanceof CataloguedError)) {
    return { reason: 'InternalError', message: machineConditions.HostClaimed.reasons.InternalError };
  }
  const known = Object.hasOwn(reasons, error.reason);
  return { reason: known ? (error.reason as MachineReason) : 'InternalError', message: error.message };
}
