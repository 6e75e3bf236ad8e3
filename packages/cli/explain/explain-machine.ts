import { type HostStep, machineConditions } from '@minifleet/api';
import { type Condition, deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube/client';
import { adviceFor } from '../cluster/advice.ts';
import { adviceValues, blockingCondition, unmetConditions } from '../cluster/machine-conditions.ts';
import { hostOf, nameOf, type ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
import { age } from '../get/age.ts';
import {
  conditionSentence,
  type ExplainContext,
  lastWarning,
  meaningOf,
  type ObjectExplanation,
  sentence,
} from './explanation.ts';

export interface MachineExplainInput extends ExplainContext {
  readonly machine: ScalewayAppleSiliconMachine;
  readonly node: Node | undefined;
}

/** From its conditions in the order of the phases, then its journal, then its events. */
export function explainMachine(view: MachineExplainInput): ObjectExplanation {
  const { machine, now } = view;
  if (deleting(machine)) return leaving(view);
  const paused = findCondition(machine, 'Paused');
  if (paused?.status === 'True') {
    const words = `${nameOf(machine)} is paused: nothing is changed on its host.`;
    return { sentences: [words, ...journal(machine, now)], next: adviceFor('Paused', adviceValues(machine)) ?? '' };
  }
  if (isConditionTrue(machine, 'Ready')) return serving(view);
  const obstacle = blockingCondition(machine);
  if (!obstacle) {
    return {
      sentences: [`${nameOf(machine)} is new: nobody has looked at it yet.`],
      next: 'minifleet doctor, if that stays so: the provider may not be up',
    };
  }
  const words = `${nameOf(machine)} is not Ready: ${conditionSentence(obstacle, now)}.`;
  const meaning = meaningOf(machineConditions, obstacle);
  const warning = lastWarning(view, words);
  return {
    sentences: [words, meaning, ...journal(machine, now), warning].filter(each => each !== undefined),
    next: whatToDo(machine, obstacle),
  };
}

const whatToDo = (machine: ScalewayAppleSiliconMachine, { reason }: Condition): string =>
  adviceFor(reason, adviceValues(machine)) ??
  `wait: it goes on by itself; minifleet get host ${machine.metadata.name} --watch`;

function serving({ machine, node, now }: MachineExplainInput): ObjectExplanation {
  const since = age(findCondition(machine, 'Ready')?.lastTransitionTime, now);
  const { desired, applied } = machine.status?.plan ?? {};
  const place = node ? ` and serves as Node ${node.metadata.name}` : '';
  const words = `${nameOf(machine)} is Ready for ${since}: it holds host ${hostOf(machine)}${place}.`;
  const cordoned = node?.spec?.unschedulable ? ['The Node is cordoned: no new Pod gets there.'] : [];
  const outdated = desired !== applied;
  const roll = outdated ? ['Another plan is wanted of it and waits for its turn.'] : [];
  const uncordon = node?.spec?.unschedulable
    ? `kubectl uncordon ${node.metadata.name}, if it may take Pods again`
    : undefined;
  const [unmet] = unmetConditions(machine);
  const wrong = unmet ? [`It is not as wanted: ${conditionSentence(unmet, now)}.`, ...journal(machine, now)] : [];
  const otherwise = outdated ? adviceFor('PlanOutdated', adviceValues(machine)) : uncordon;
  const next = unmet ? whatToDo(machine, unmet) : otherwise;
  return { sentences: [words, ...wrong, ...cordoned, ...roll], next: next ?? 'nothing to do' };
}

function leaving({ machine, now, ...rest }: MachineExplainInput): ObjectExplanation {
  const step = findCondition(machine, 'Deleting');
  const words = `${nameOf(machine)} is being deleted for ${age(machine.metadata.deletionTimestamp, now)}${step ? `: ${step.message || step.reason}` : ''}.`;
  const meaning = step ? meaningOf(machineConditions, step) : 'The provider has not begun with it.';
  const kept = machine.spec.hostRelease === 'Retain' ? 'Its host is kept as it is.' : 'Its host goes back to the pool.';
  const warning = lastWarning({ ...rest, now }, words);
  return {
    sentences: [words, meaning, kept, warning].filter(each => each !== undefined),
    next: adviceFor(step?.reason ?? '', adviceValues(machine)) ?? 'wait: the object goes when its host is let go',
  };
}

/** What the provider wrote down of its work on the host: what failed, what runs, when it is tried again. */
function journal({ status }: ScalewayAppleSiliconMachine, now: number): string[] {
  const { steps = [], job, currentStep } = status ?? {};
  const running = job
    ? [`A run is under way for ${age(job.startTime, now)}${currentStep ? `, at step ${currentStep}` : ''}.`]
    : [];
  return [...steps.filter(({ state }) => state === 'Failed' || state === 'Waiting').map(stepWords), ...running];
}

function stepWords({ name, state, attempts = 0, message = '', reason = '', nextAttemptTime }: HostStep): string {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const again = nextAttemptTime === undefined ? '' : ` It is tried again at ${nextAttemptTime}.`;
  return `Step ${name} ${state === 'Failed' ? 'has failed' : 'waits'}${tries}: ${sentence(message || reason)}${again}`;
}
