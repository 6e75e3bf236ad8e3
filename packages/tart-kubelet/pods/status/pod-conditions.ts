import { podConditions as conditionNames } from '@minifleet/api/names';
import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import { guestSizeOf } from '../resources.ts';
import type { ContainerStatus, Phase, Picture, PodCondition } from './status-input.ts';

/**
 * True on a Pod that is marked for deletion, carries a finalizer of somebody else, and has nothing left on this host.
 * The agent may not touch finalizers; who may, can release the Pod now.
 */
const FINISHED_CONDITION = conditionNames.finished;

interface Note {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface Seen {
  readonly phase: Phase;
  readonly containers: readonly ContainerStatus[];
}

/** The conditions this agent owns; whatever others wrote stays as it is on the server. */
export function podConditions(picture: Picture, seen: Seen): PodCondition[] {
  const { pod, desired, tornDown } = picture;
  const finalizers = pod.metadata.finalizers ?? [];
  const ready = containersReady(seen);
  const notes: Note[] = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'PodReadyToStartContainers', status: hasSandbox(picture) ? 'True' : 'False' },
    { type: 'Initialized', status: 'True', reason: seen.phase === 'Succeeded' ? 'PodCompleted' : undefined },
    { type: 'ContainersReady', ...ready },
    { type: 'Ready', ...(ready.status === 'True' ? readinessGates(picture) : ready) },
  ];
  const resize = pendingResize(picture);
  if (resize) notes.push(resize);
  if (desired === 'terminating' && tornDown && finalizers.length > 0) {
    const message = `Nothing of the Pod is left on its host; finalizers that hold it: ${finalizers.join(', ')}`;
    notes.push({ type: FINISHED_CONDITION, status: 'True', reason: 'GuestRemoved', message });
  }
  return notes.map(note => conditionOf(note, picture));
}

/** The VM is the sandbox: it is there from the moment it is started until it has ended. */
const hasSandbox = ({ run }: Picture): boolean => ['starting', 'running'].includes(run?.guest?.state.phase ?? '');

/** A running guest keeps its size: a resize is answered, not carried out. */
function pendingResize({ pod, run }: Picture): Note | undefined {
  const type = 'PodResizePending';
  const guest = run?.guest?.state.phase === 'running' ? run.guest.spec : undefined;
  const { cpus, memoryMegabytes } = pod.spec ? guestSizeOf(pod.spec) : {};
  if (guest && (cpus !== guest.cpus || memoryMegabytes !== guest.memoryMegabytes)) {
    return {
      type,
      status: 'True',
      reason: 'Infeasible',
      message: 'a running guest is not resized; start the Pod anew',
    };
  }
  return pod.status?.conditions?.some(condition => condition.type === type) ? { type, status: 'False' } : undefined;
}

function containersReady({ phase, containers }: Seen): Omit<Note, 'type'> {
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

function readinessGates({ pod }: Picture): Omit<Note, 'type'> {
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

/** The time moves only with the status, and says since when. */
function conditionOf({ type, status, reason, message }: Note, { pod, now }: Picture): PodCondition {
  const previous = pod.status?.conditions?.find(condition => condition.type === type);
  const since = previous?.status === status ? previous.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastTransitionTime: since ?? timestamp(now),
    ...defined({ reason, message, observedGeneration: pod.metadata.generation }),
  };
}
