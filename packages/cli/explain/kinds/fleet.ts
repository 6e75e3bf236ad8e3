import { deleting, findCondition, isConditionTrue } from '@minifleet/kube/client';
import { adviceFor } from '../../cluster/advice.ts';
import { aboutMachine, obstacleOf } from '../../cluster/host-troubles.ts';
import { nameOf, type Samm } from '../../cluster/machines.ts';
import type { MachineDeployment } from '../../cluster/resources.ts';
import { type Explanation, lastWarning, sentence, type Telling, told } from '../explanation.ts';

export interface FleetTold extends Telling {
  readonly fleet: MachineDeployment;
  readonly machines: readonly Samm[];
}

/** How many of the wanted hosts serve, and what keeps each of the others. */
export function explainFleet(view: FleetTold): Explanation {
  const { fleet, machines, now } = view;
  const wanted = fleet.spec?.replicas ?? 0;
  const ready = machines.filter(samm => isConditionTrue(samm, 'Ready')).length;
  const words = `${nameOf(fleet)} wants ${wanted} ${wanted === 1 ? 'host' : 'hosts'}, and ${ready} of its ${machines.length} machines ${ready === 1 ? 'is' : 'are'} Ready.`;
  const obstacles = machines.flatMap(samm => {
    const obstacle = deleting(samm) ? undefined : obstacleOf(samm);
    return obstacle ? [{ samm, obstacle }] : [];
  });
  const each = obstacles.map(({ samm, obstacle }) => `${samm.metadata.name}: ${told(obstacle, now)}.`);
  const halted = machines.filter(
    ({ status }) => status?.plan?.failed !== undefined && status.plan.failed === status.plan.desired,
  );
  const roll =
    halted.length > 0 ? [`The roll is halted: ${halted.map(nameOf).join(', ')} failed the wanted plan.`] : [];
  const short = machines.length < wanted ? [scalingWords(fleet, wanted - machines.length)] : [];
  const [worst] = obstacles;
  return {
    sentences: [words, ...each, ...roll, ...short, lastWarning(view, words)].filter(one => one !== undefined),
    next: nextFor({ halted: halted.length > 0, short: short.length > 0, worst, fleet }),
  };
}

function scalingWords(fleet: MachineDeployment, missing: number): string {
  const why = findCondition(fleet, 'ScalingUp')?.message ?? '';
  return `Cluster API has not made ${missing} of them${why === '' ? '.' : `: ${sentence(why)}`}`;
}

interface Outcome {
  readonly halted: boolean;
  readonly short: boolean;
  readonly worst: { readonly samm: Samm; readonly obstacle: { readonly reason: string } } | undefined;
  readonly fleet: MachineDeployment;
}

function nextFor({ halted, short, worst, fleet }: Outcome): string {
  if (halted) return `minifleet plan --fleet ${fleet.metadata.name}; docs/runbooks/roll-halted.md`;
  if (worst) {
    const explain = `minifleet explain host/${worst.samm.metadata.name}`;
    const advice = adviceFor(worst.obstacle.reason, aboutMachine(worst.samm));
    return advice === undefined ? `wait; ${explain}` : advice;
  }
  return short
    ? `kubectl describe machinedeployment ${fleet.metadata.name} -n ${fleet.metadata.namespace}`
    : 'nothing to do';
}
