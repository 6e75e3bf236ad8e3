import type { Amounts } from '../resources.ts';
import type { Refusal } from './field-rule.ts';

/** One VM slot; a Pod that finds none waits for one, it is not refused. */
export const VM_SLOT_RESOURCE = 'minifleet.dev/macos-vm';

export interface Fit {
  readonly wanted: Amounts;
  /** Of all Pods that may run already. */
  readonly used: Amounts;
  readonly allocatable: Amounts;
}

/** As kubelet: the first resource of which there is not enough left. A resource the node does not have is one of which there is none. */
export function fitResources({ wanted, used, allocatable }: Fit): Refusal | undefined {
  for (const [name, amount] of Object.entries(wanted)) {
    const capacity = allocatable[name] ?? 0;
    if (amount === 0 || name === VM_SLOT_RESOURCE || (used[name] ?? 0) + amount <= capacity) continue;
    const numbers = `requested: ${amount}, used: ${used[name] ?? 0}, capacity: ${capacity}`;
    const message = `Pod was rejected: Node didn't have enough resource: ${name}, ${numbers}`;
    return { reason: `OutOf${name}`, message };
  }
  return undefined;
}
