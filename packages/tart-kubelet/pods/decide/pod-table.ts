import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import type { PodRun } from './last-run.ts';

/** Desired state of a Pod, from the API server. */
export type DesiredState =
  /** The object is gone; there is no status left to write. */
  | 'absent'
  | 'active'
  /** Marked for deletion: the object is deleted once the guest is gone. */
  | 'terminating'
  /** Completed, rejected or past its deadline; the object stays. */
  | 'finished';

/** Observed state of the Pod's newest run, from the host. */
export type ObservedState =
  | 'none'
  /** A launch is in progress: pulling, preparing, waiting for a slot, or cloning. */
  | 'launching'
  /** The record exists but no launch is in progress: an agent died, or a clone failed. */
  | 'incomplete'
  | 'starting'
  | 'running'
  /** Starting or running, but must be stopped: a probe or hook failed, or the Pod requests another image. */
  | 'must restart'
  | 'exited';

export type PodAction =
  | 'launch'
  | 'wait'
  | 'monitor'
  | 'restart'
  /** Cancels the launch in progress. */
  | 'cancel launch'
  | 'stop'
  /** Writes the terminal status, then tears down. */
  | 'finish'
  /** As `finish`, then deletes the API object. */
  | 'release'
  /** Tears down without writing a status: there is no object. */
  | 'forget';

/** Desired × observed state → action. Total: the test covers every cell. */
export const podTable: Readonly<Record<DesiredState, Readonly<Record<ObservedState, PodAction>>>> = {
  absent: {
    none: 'forget',
    launching: 'cancel launch',
    incomplete: 'stop',
    starting: 'stop',
    running: 'stop',
    'must restart': 'stop',
    exited: 'forget',
  },
  active: {
    none: 'launch',
    launching: 'wait',
    incomplete: 'launch',
    starting: 'wait',
    running: 'monitor',
    'must restart': 'stop',
    exited: 'restart',
  },
  terminating: {
    none: 'release',
    launching: 'cancel launch',
    incomplete: 'stop',
    starting: 'stop',
    running: 'stop',
    'must restart': 'stop',
    exited: 'release',
  },
  finished: {
    none: 'finish',
    launching: 'cancel launch',
    incomplete: 'stop',
    starting: 'stop',
    running: 'stop',
    'must restart': 'stop',
    exited: 'finish',
  },
};

/** Reason why a Pod fails regardless of its exit code: rejected, deadline exceeded, evicted. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** The Pod was rejected before a container existed. */
  readonly refused?: boolean;
}

interface DesiredStateInput {
  /** Undefined once the API server no longer has it. */
  readonly pod: Pod | undefined;
  readonly exit: GuestExit | undefined;
  readonly failure: PodFailure | undefined;
  /** The exited run was stopped because the image changed. */
  readonly replaced: boolean;
}

export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

function restartsAfter(pod: Pod, { exitCode }: GuestExit): boolean {
  const policy = pod.spec?.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/**
 * Deletion is checked first. A finished Pod that is then deleted is both; treated as finished, its object would never
 * be deleted (504 Pods once stayed in Terminating because of that, I09).
 */
export function desiredState({ pod, exit, failure, replaced }: DesiredStateInput): DesiredState {
  if (!pod) return 'absent';
  if (pod.metadata.deletionTimestamp) return 'terminating';
  if (isTerminal(pod) || failure) return 'finished';
  return exit && !replaced && !restartsAfter(pod, exit) ? 'finished' : 'active';
}

interface ObservedStateInput {
  readonly run: PodRun | undefined;
  readonly launching: boolean;
  readonly mustRestart: boolean;
}

/**
 * A launch counts until it has settled, even if its guest already exists: a guest must not be stopped while it is being
 * created.
 */
export function observedState({ run, launching, mustRestart }: ObservedStateInput): ObservedState {
  if (launching) return 'launching';
  if (!run) return 'none';
  const state = run.guest?.state;
  switch (state?.phase) {
    case undefined:
    case 'exited':
      return 'exited';
    case 'creating':
      return 'incomplete';
    case 'starting':
      return mustRestart ? 'must restart' : 'starting';
    case 'running':
      return mustRestart ? 'must restart' : 'running';
  }
}
