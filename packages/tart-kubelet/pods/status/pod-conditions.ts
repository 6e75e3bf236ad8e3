import { podConditions as conditionNames } from '@minifleet/api/names';
import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import { guestSizeOf } from '../resources.ts';
import type { ContainerStatus, PodCondition, PodPhase, StatusInput } from './status-input.ts';

/**
 * True on a Pod that is marked for deletion, has a foreign finalizer, and has nothing left on this host. The agent must
 * not remove finalizers; their owner can do so now.
 */
const FINISHED_CONDITION = conditionNames.finished;

interface ConditionInput {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface PodSummary {
  readonly phase: PodPhase;
  readonly containers: readonly ContainerStatus[];
}

/** Computes the conditions that the agent owns; conditions of other writers stay as they are on the server. */
export function podConditions(input: StatusInput, summary: PodSummary): PodCondition[] {
  const { pod, desired, tornDown } = input;
  const finalizers = pod.metadata.finalizers ?? [];
  const ready = containersReady(summary);
  const notes: ConditionInput[] = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'PodReadyToStartContainers', status: hasSandbox(input) ? 'True' : 'False' },
    { type: 'Initialized', status: 'True', reason: summary.phase === 'Succeeded' ? 'PodCompleted' : undefined },
    { type: 'ContainersReady', ...ready },
    { type: 'Ready', ...(ready.status === 'True' ? readinessGates(input) : ready) },
  ];
  const resize = pendingResize(input);
  if (resize) notes.push(resize);
  if (desired === 'terminating' && tornDown && finalizers.length > 0) {
    const message = `Nothing of the Pod is left on its host; remaining finalizers: ${finalizers.join(', ')}`;
    notes.push({ type: FINISHED_CONDITION, status: 'True', reason: 'GuestRemoved', message });
  }
  return notes.map(note => conditionOf(note, input));
}

/** The VM is the sandbox: it exists from its start until its exit. */
const hasSandbox = ({ run }: StatusInput): boolean => ['starting', 'running'].includes(run?.guest?.state.phase ?? '');

/** Rejects a resize, because a running guest keeps its size. */
function pendingResize({ pod, run }: StatusInput): ConditionInput | undefined {
  const type = 'PodResizePending';
  const guest = run?.guest?.state.phase === 'running' ? run.guest.spec : undefined;
  const { cpus, memoryMegabytes } = pod.spec ? guestSizeOf(pod.spec) : {};
  if (guest && (cpus !== guest.cpus || memoryMegabytes !== guest.memoryMegabytes)) {
    return {
      type,
      status: 'True',
      reason: 'Infeasible',
      message: 'a running VM cannot be resized; recreate the Pod',
    };
  }
  return pod.status?.conditions?.some(condition => condition.type === type) ? { type, status: 'False' } : undefined;
}

function containersReady({ phase, containers }: PodSummary): Omit<ConditionInput, 'type'> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function readinessGates({ pod }: StatusInput): Omit<ConditionInput, 'type'> {
  const messages = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = pod.status?.conditions?.find(({ type }) => type === conditionType);
    const named = `corresponding condition of pod readiness gate "${conditionType}"`;
    if (!gate) return [`${named} does not exist.`];
    return gate.status === 'True'
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  return messages.length === 0
    ? { status: 'True' }
    : { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

/** lastTransitionTime changes only with the status. */
function conditionOf({ type, status, reason, message }: ConditionInput, { pod, now }: StatusInput): PodCondition {
  const previous = pod.status?.conditions?.find(condition => condition.type === type);
  const since = previous?.status === status ? previous.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastTransitionTime: since ?? timestamp(now),
    ...defined({ reason, message, observedGeneration: pod.metadata.generation }),
  };
}
