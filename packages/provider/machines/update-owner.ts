import { deleting, findCondition, patchChanges, setCondition } from '@minifleet/kube';
import { capiMachines, type Machine } from '../cluster-api/kinds.ts';
import type { MachineDeps, MachineScope } from './machine-scope.ts';
import type { MachineConditionType } from './phase.ts';

/** Conditions other than Ready that can be a readiness gate of a Machine. */
const GATES: readonly MachineConditionType[] = ['BuilderRunnerOnline'];

/**
 * Copies the conditions that a Machine names as readiness gates to the Machine: Cluster API looks for them there and copies only Ready
 * itself. All other conditions stay as they are.
 */
export async function updateOwner(
  { machine, ownerMachine }: Pick<MachineScope, 'machine' | 'ownerMachine'>,
  { client, clock }: Pick<MachineDeps, 'client' | 'clock'>,
): Promise<void> {
  if (!ownerMachine || deleting(ownerMachine)) return;
  const updated = structuredClone(ownerMachine);
  const gates = GATES.filter(type => isGate(ownerMachine, type)).flatMap(type => findCondition(machine, type) ?? []);
  for (const condition of gates) setCondition(updated, condition, clock);
  await patchChanges({ client, resource: capiMachines }, ownerMachine, updated);
}

const isGate = ({ spec }: Machine, type: string): boolean =>
  spec.readinessGates?.some(({ conditionType }) => conditionType === type) === true;
