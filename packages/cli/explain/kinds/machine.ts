import { type HostStep, machineConditions } from '@minifleet/api';
import { type Condition, deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube/client';
import { adviceFor } from '../../cluster/advice.ts';
import { aboutMachine, obstacleOf, unmetOf } from '../../cluster/host-troubles.ts';
import { hostOf, nameOf, type Samm } from '../../cluster/machines.ts';
import { age } from '../../get/age.ts';
import { type Explanation, lastWarning, meaningOf, sentence, type Telling, told } from '../explanation.ts';

export interface MachineTold extends Telling {
  readonly samm: Samm;
  readonly node: Node | undefined;
}

/** From its conditions in the order of the phases, then its journal, then its events. */
export function explainMachine(view: MachineTold): Explanation {
  const { samm, now } = view;
  if (deleting(samm)) return leaving(view);
  const paused = findCondition(samm, 'Paused');
  if (paused?.status === 'True') {
    const words = `${nameOf(samm)} is paused: nothing is changed on its host.`;
    return { sentences: [words, ...journal(samm, now)], next: adviceFor('Paused', aboutMachine(samm)) ?? '' };
  }
  if (isConditionTrue(samm, 'Ready')) return serving(view);
  const obstacle = obstacleOf(samm);
  if (!obstacle) {
    return {
      sentences: [`${nameOf(samm)} is new: nobody has looked at it yet.`],
      next: 'minifleet doctor, if that stays so: the provider may not be up',
    };
  }
  const words = `${nameOf(samm)} is not Ready: ${told(obstacle, now)}.`;
  const meaning = meaningOf(machineConditions, obstacle);
  const warning = lastWarning(view, words);
  return {
    sentences: [words, meaning, ...journal(samm, now), warning].filter(each => each !== undefined),
    next: whatToDo(samm, obstacle),
  };
}

const whatToDo = (samm: Samm, { reason }: Condition): string =>
  adviceFor(reason, aboutMachine(samm)) ??
  `wait: it goes on by itself; minifleet get host ${samm.metadata.name} --watch`;

function serving({ samm, node, now }: MachineTold): Explanation {
  const since = age(findCondition(samm, 'Ready')?.lastTransitionTime, now);
  const { desired, applied } = samm.status?.plan ?? {};
  const place = node ? ` and serves as Node ${node.metadata.name}` : '';
  const words = `${nameOf(samm)} is Ready for ${since}: it holds host ${hostOf(samm)}${place}.`;
  const cordoned = node?.spec?.unschedulable ? ['The Node is cordoned: no new Pod gets there.'] : [];
  const outdated = desired !== applied;
  const roll = outdated ? ['Another plan is wanted of it and waits for its turn.'] : [];
  const uncordon = node?.spec?.unschedulable
    ? `kubectl uncordon ${node.metadata.name}, if it may take Pods again`
    : undefined;
  const [unmet] = unmetOf(samm);
  const wrong = unmet ? [`It is not as wanted: ${told(unmet, now)}.`, ...journal(samm, now)] : [];
  const otherwise = outdated ? adviceFor('PlanOutdated', aboutMachine(samm)) : uncordon;
  const next = unmet ? whatToDo(samm, unmet) : otherwise;
  return { sentences: [words, ...wrong, ...cordoned, ...roll], next: next ?? 'nothing to do' };
}

function leaving({ samm, now, ...rest }: MachineTold): Explanation {
  const step = findCondition(samm, 'Deleting');
  const words = `${nameOf(samm)} is being deleted for ${age(samm.metadata.deletionTimestamp, now)}${step ? `: ${step.message || step.reason}` : ''}.`;
  const meaning = step ? meaningOf(machineConditions, step) : 'The provider has not begun with it.';
  const kept = samm.spec.hostRelease === 'Retain' ? 'Its host is kept as it is.' : 'Its host goes back to the pool.';
  const warning = lastWarning({ ...rest, now }, words);
  return {
    sentences: [words, meaning, kept, warning].filter(each => each !== undefined),
    next: adviceFor(step?.reason ?? '', aboutMachine(samm)) ?? 'wait: the object goes when its host is let go',
  };
}

/** What the provider wrote down of its work on the host: what failed, what runs, when it is tried again. */
function journal({ status }: Samm, now: number): string[] {
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
