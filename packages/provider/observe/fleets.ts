import {
  type InfraMachine,
  type MacHost,
  macMachineTemplate,
  scalewayAppleSiliconMachineTemplate,
} from '@minifleet/api';
import type { MachineDeployment } from '../cluster-api/kinds.ts';
import { waveOf } from '../hosts/desired-plan.ts';
import { fleetOf, phaseOf } from './machine-phase.ts';

interface FleetSize {
  readonly namespace: string;
  readonly fleet: string;
  readonly desired: number;
  readonly ready: number;
}

/** Desired and Ready machines of each fleet. Counted here, so that no other exporter is needed. */
export function fleetSizes(
  deployments: readonly MachineDeployment[],
  machines: readonly InfraMachine[],
): readonly FleetSize[] {
  const ready = new Map<string, number>();
  for (const machine of machines.filter(one => phaseOf(one).phase === 'Ready')) {
    const key = fleetKey(machine);
    ready.set(key, (ready.get(key) ?? 0) + 1);
  }
  return deployments.filter(isOurs).map(({ metadata: { namespace = '', name }, spec }) => ({
    namespace,
    fleet: name,
    desired: spec.replicas ?? 1,
    ready: ready.get(`${namespace}/${name}`) ?? 0,
  }));
}

const TEMPLATES: ReadonlySet<string> = new Set(
  [scalewayAppleSiliconMachineTemplate, macMachineTemplate].map(({ resource }) => resource.kind),
);

const isOurs = ({ spec }: MachineDeployment): boolean => TEMPLATES.has(spec.template.spec.infrastructureRef.kind);

interface FleetRoll {
  readonly namespace: string;
  readonly fleet: string;
  readonly halted: boolean;
}

/** A rollout is halted while a host in service has failed its desired plan. */
export function fleetRolls(machines: readonly InfraMachine[], hosts: readonly MacHost[]): readonly FleetRoll[] {
  const hostOf = new Map(hosts.map(host => [host.spec.consumerRef?.uid, host]));
  const fleets = new Map<string, FleetRoll>();
  for (const machine of machines) {
    const key = fleetKey(machine);
    const { namespace = '' } = machine.metadata;
    const halted = fleets.get(key)?.halted === true || hasFailedItsPlan(hostOf.get(machine.metadata.uid));
    fleets.set(key, { namespace, fleet: fleetOf(machine), halted });
  }
  return [...fleets.values()];
}

function hasFailedItsPlan(host: MacHost | undefined): boolean {
  const { desired, applied, failed } = host?.status?.plan ?? {};
  return applied !== undefined && failed !== undefined && waveOf(failed) === waveOf(desired);
}

const fleetKey = (machine: InfraMachine): string => `${machine.metadata.namespace}/${fleetOf(machine)}`;
