import type { ScalewayAppleSiliconMachine } from '@minifleet/cli/cluster';
import { isConditionTrue } from '@minifleet/kube';
import { NO_FAULT_TARGET } from '../incidents/errors.ts';
import type { HostFault } from '../incidents/incidents.ts';

interface ChooseHostOptions {
  readonly fault: Pick<HostFault, 'id' | 'fleets'>;
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  /** Name of a machine (default: the first that fits). */
  readonly requested: string | undefined;
  /** Names of the machines that have a fault. */
  readonly active: ReadonlySet<string>;
}

/** Returns the requested host, or the first Ready host without a fault in one of the fleets. */
export function chooseHost({ fault, machines, requested, active }: ChooseHostOptions): ScalewayAppleSiliconMachine {
  const candidates = machines
    .filter(({ spec }) => fault.fleets.some(fleet => fleet === spec.fleetName))
    .filter(({ metadata }) => !active.has(metadata.name));
  const chosen = candidates.find(machine =>
    requested === undefined ? isSettled(machine) : machine.metadata.name === requested,
  );
  if (chosen) return chosen;
  throw NO_FAULT_TARGET({
    incident: fault.id,
    fleets: fault.fleets.join(', '),
    why: whyNone(requested, active),
    candidates: candidates.map(({ metadata }) => metadata.name).join(', ') || 'none',
  });
}

/** A new host is Ready as soon as its Node is, while its first run continues for a minute and would find a fault only at its end. */
const isSettled = (machine: ScalewayAppleSiliconMachine): boolean =>
  isConditionTrue(machine, 'Ready') && !machine.status?.currentStep;

function whyNone(requested: string | undefined, active: ReadonlySet<string>): string {
  if (requested === undefined) return 'no such host is Ready and without a fault';
  if (active.has(requested)) return `${requested} already has a fault (end it with minifleet mend ${requested})`;
  return `${requested} is not one`;
}
