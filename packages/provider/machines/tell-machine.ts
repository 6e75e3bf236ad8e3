import { deleting, findCondition, patchChanges, setCondition } from '@minifleet/kube';
import { capiMachines, type Machine } from '../cluster-api/kinds.ts';
import type { MachineParts } from './parts.ts';
import type { MachineConditionType } from './phase.ts';
import type { MachineScope } from './scope.ts';

/** What can be a readiness gate of a Machine beside Ready; core has no conditions of these names itself. */
const GATES: readonly MachineConditionType[] = ['BuilderRunnerOnline'];

/**
 * Core looks for the readiness gates of a Machine among the Machine's own conditions, and copies none of ours but Ready. So the ones
 * that a Machine asks for are told to it; all others in that list stay as they are.
 */
export async function tellMachine(
  { samm, machine }: Pick<MachineScope, 'samm' | 'machine'>,
  { client, clock }: Pick<MachineParts, 'client' | 'clock'>,
): Promise<void> {
  if (!machine || deleting(machine)) return;
  const told = structuredClone(machine);
  for (const condition of GATES.filter(type => isGate(machine, type)).flatMap(type => findCondition(samm, type) ?? []))
    setCondition(told, condition, clock);
  await patchChanges({ client, resource: capiMachines }, machine, told);
}

const isGate = ({ spec }: Machine, type: string): boolean =>
  spec.readinessGates?.some(({ conditionType }) => conditionType === type) === true;
