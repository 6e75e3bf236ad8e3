import { type HostStep, type MacHost, machineConditions } from '@minifleet/api';
import { type Condition, deleting, findCondition, isConditionTrue, type Node } from '@minifleet/kube/client';
import { adviceFor } from '../cluster/advice.ts';
import { adviceValues, blockingCondition, unmetConditions } from '../cluster/machine-conditions.ts';
import { groupSteps, hostOf, type InfraMachine, nameOf } from '../cluster/machines.ts';
import { age } from '../get/age.ts';
import {
  conditionSentence,
  type ExplainContext,
  lastWarning,
  meaningOf,
  type ObjectExplanation,
  sentence,
} from './explanation.ts';

interface MachineExplainInput extends ExplainContext {
  readonly machine: InfraMachine;
  /** Its MacHost; undefined before the claim. */
  readonly host: MacHost | undefined;
  readonly node: Node | undefined;
}

/** Explains a machine from its conditions in phase order, the steps of its host and its events. */
export function explainMachine(view: MachineExplainInput): ObjectExplanation {
  const { machine, host, now } = view;
  if (deleting(machine)) return leaving(view);
  const paused = findCondition(machine, 'Paused');
  if (paused?.status === 'True') {
    const state = `${nameOf(machine)} is paused; the provider does not change its host.`;
    return {
      sentences: [state, ...stepSentences(host, now)],
      next: adviceFor('Paused', adviceValues(machine)) ?? '',
    };
  }
  if (isConditionTrue(machine, 'Ready')) return serving(view);
  const obstacle = blockingCondition(machine);
  if (!obstacle) {
    return {
      sentences: [`${nameOf(machine)} is new; the provider has not reconciled it yet.`],
      next: 'minifleet doctor, if this lasts (the provider may be down)',
    };
  }
  const state = `${nameOf(machine)} is not Ready: ${conditionSentence(obstacle, now)}.`;
  const meaning = meaningOf(machineConditions, obstacle);
  const warning = lastWarning(view, state);
  return {
    sentences: [state, meaning, ...stepSentences(host, now), warning].filter(each => each !== undefined),
    next: nextAction(machine, obstacle),
  };
}

const nextAction = (machine: InfraMachine, { reason }: Condition): string =>
  adviceFor(reason, adviceValues(machine)) ??
  `none, the provider continues; minifleet get host ${machine.metadata.name} --watch`;

function serving({ machine, host, node, now }: MachineExplainInput): ObjectExplanation {
  const since = age(findCondition(machine, 'Ready')?.lastTransitionTime, now);
  const { desired, applied } = host?.status?.plan ?? {};
  const place = node ? ` as Node ${node.metadata.name}` : '';
  const state = `${nameOf(machine)} has been Ready for ${since} on host ${hostOf(machine)}${place}.`;
  const cordoned = node?.spec?.unschedulable ? ['The Node is cordoned; no new Pods are scheduled there.'] : [];
  const outdated = desired !== applied;
  const roll = outdated ? ['A newer plan waits for its turn in the rollout.'] : [];
  const uncordon = node?.spec?.unschedulable
    ? `kubectl uncordon ${node.metadata.name}, to schedule Pods again`
    : undefined;
  const [unmet] = unmetConditions(machine);
  const wrong = unmet ? [`It is out of sync: ${conditionSentence(unmet, now)}.`, ...stepSentences(host, now)] : [];
  const otherwise = outdated ? adviceFor('PlanOutdated', adviceValues(machine)) : uncordon;
  const next = unmet ? nextAction(machine, unmet) : otherwise;
  return { sentences: [state, ...wrong, ...cordoned, ...roll], next: next ?? 'none' };
}

function leaving({ machine, now, ...rest }: MachineExplainInput): ObjectExplanation {
  const step = findCondition(machine, 'Deleting');
  const state = `${nameOf(machine)} has been deleting for ${age(machine.metadata.deletionTimestamp, now)}${step ? `: ${step.message || step.reason}` : ''}.`;
  const meaning = step ? meaningOf(machineConditions, step) : 'The provider has not started the deletion.';
  const kept =
    machine.spec.hostRelease === 'Retain' ? 'Its host stays unchanged.' : 'Its host is returned to the pool.';
  const warning = lastWarning({ ...rest, now }, state);
  return {
    sentences: [state, meaning, kept, warning].filter(each => each !== undefined),
    next:
      adviceFor(step?.reason ?? '', adviceValues(machine)) ?? 'none, the object is deleted once its host is released',
  };
}

/** Describes failed and waiting steps and the running job. Steps with the same cause share one sentence: a host without sudo has one cause. */
export function stepSentences(host: MacHost | undefined, now: number): string[] {
  const { steps = [], job, currentStep } = host?.status ?? {};
  const open = steps.filter(({ state }) => state === 'Failed' || state === 'Waiting');
  const running = job
    ? [`A bootstrap job has been running for ${age(job.startTime, now)}${currentStep ? ` (step ${currentStep})` : ''}.`]
    : [];
  return [...groupSteps(open).map(causeSentence), ...running];
}

function causeSentence(steps: readonly HostStep[]): string {
  const [{ name, state, message = '', reason = '' } = { name: '', state: 'Waiting' }] = steps;
  const attempts = Math.max(...steps.map(step => step.attempts ?? 0));
  const [nextAttempt] = steps.flatMap(step => step.nextAttemptTime ?? []).toSorted();
  const subject =
    steps.length === 1 ? `Step ${name}` : `${steps.length} steps (${steps.map(step => step.name).join(', ')})`;
  const verb = state === 'Failed' ? 'failed' : steps.length === 1 ? 'is waiting' : 'are waiting';
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const next = nextAttempt === undefined ? '' : ` Next attempt at ${nextAttempt}.`;
  return `${subject} ${verb}${tries}: ${sentence(message || reason)}${next}`;
}
