import type { MacHost } from '@minifleet/api';
import { deleting, findCondition, isConditionTrue } from '@minifleet/kube/client';
import { adviceFor } from '../cluster/advice.ts';
import { adviceValues, blockingCondition } from '../cluster/machine-conditions.ts';
import { hostOf, type InfraMachine, nameOf } from '../cluster/machines.ts';
import type { FleetMachineDeployment } from '../cluster/resources.ts';
import {
  conditionSentence,
  type ExplainContext,
  lastWarning,
  type ObjectExplanation,
  sentence,
} from './explanation.ts';

interface FleetExplainInput extends ExplainContext {
  readonly fleet: FleetMachineDeployment;
  readonly machines: readonly InfraMachine[];
  readonly hosts: readonly MacHost[];
}

/** Explains how many of the desired hosts are Ready, and what blocks each of the others. */
export function explainFleet(view: FleetExplainInput): ObjectExplanation {
  const { fleet, machines, hosts, now } = view;
  const desired = fleet.spec?.replicas ?? 0;
  const ready = machines.filter(machine => isConditionTrue(machine, 'Ready')).length;
  const state = `${nameOf(fleet)} has ${ready} Ready of ${desired} desired ${desired === 1 ? 'host' : 'hosts'} (${machines.length} ${machines.length === 1 ? 'machine' : 'machines'}).`;
  const obstacles = machines.flatMap(machine => {
    const obstacle = deleting(machine) ? undefined : blockingCondition(machine);
    return obstacle ? [{ machine, obstacle }] : [];
  });
  const each = obstacles.map(
    ({ machine, obstacle }) => `${machine.metadata.name}: ${conditionSentence(obstacle, now)}.`,
  );
  const failed = hosts.filter(
    ({ status }) => status?.plan?.failed !== undefined && status.plan.failed === status.plan.desired,
  );
  const halted = machines.filter(machine => failed.some(({ metadata }) => metadata.name === hostOf(machine)));
  const roll =
    halted.length > 0
      ? [`The rollout is halted because ${halted.map(nameOf).join(', ')} failed the desired plan.`]
      : [];
  const short = machines.length < desired ? [scalingSentence(fleet, desired - machines.length)] : [];
  const [worst] = obstacles;
  return {
    sentences: [state, ...each, ...roll, ...short, lastWarning(view, state)].filter(one => one !== undefined),
    next: nextFor({ halted: halted.length > 0, short: short.length > 0, worst, fleet }),
  };
}

function scalingSentence(fleet: FleetMachineDeployment, missing: number): string {
  const why = findCondition(fleet, 'ScalingUp')?.message ?? '';
  return `Cluster API has not created ${missing} ${missing === 1 ? 'machine' : 'machines'}${why === '' ? '.' : `: ${sentence(why)}`}`;
}

interface FleetProblems {
  readonly halted: boolean;
  readonly short: boolean;
  readonly worst: { readonly machine: InfraMachine; readonly obstacle: { readonly reason: string } } | undefined;
  readonly fleet: FleetMachineDeployment;
}

function nextFor({ halted, short, worst, fleet }: FleetProblems): string {
  if (halted) return `minifleet plan --fleet ${fleet.metadata.name}; docs/runbooks/roll-halted.md`;
  if (worst) {
    const explain = `minifleet explain host/${worst.machine.metadata.name}`;
    const advice = adviceFor(worst.obstacle.reason, adviceValues(worst.machine));
    return advice === undefined ? `none, the provider continues; ${explain}` : advice;
  }
  return short ? `kubectl describe machinedeployment ${fleet.metadata.name} -n ${fleet.metadata.namespace}` : 'none';
}
