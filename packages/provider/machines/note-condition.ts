import type { Condition, machineConditions, ReasonOf, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import { setCondition } from '@minifleet/kube';
import type { MachineConditionType } from './phase.ts';

export interface MachineNote<Type extends MachineConditionType = MachineConditionType> {
  readonly type: Type;
  readonly status: Condition['status'];
  readonly reason: ReasonOf<typeof machineConditions, Type>;
  readonly message: string;
}

/** Sets a condition of a machine; a reason that its catalogue does not have is a compile error. */
export function noteCondition<Type extends MachineConditionType>(
  samm: ScalewayAppleSiliconMachine,
  clock: Clock,
  note: MachineNote<Type>,
): void {
  setCondition(samm, note, clock);
}
