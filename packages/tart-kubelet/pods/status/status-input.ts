import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import type { PodRun } from '../decide/last-run.ts';
import { type DesiredState, isTerminal, type ObservedState, type PodFailure } from '../decide/pod-table.ts';

export type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
export type ContainerState = NonNullable<ContainerStatus['state']>;
export type PodCondition = NonNullable<PodStatus['conditions']>[number];

/** Reason why a container does not run yet, using kubelet's reasons where they exist. */
export interface WaitingReason {
  readonly reason: string;
  readonly message?: string | undefined;
}

/** Input of a Pod's status, as plain data. */
export interface StatusInput {
  /** State on the API server: the source of fields of other writers and of existing times. */
  readonly pod: Pod;
  readonly desired: DesiredState;
  readonly observed: ObservedState;
  readonly run: PodRun | undefined;
  /** Exit of the previous run, if the host still has it. */
  readonly lastExit: GuestExit | undefined;
  readonly waiting: WaitingReason | undefined;
  readonly failure: PodFailure | undefined;
  readonly probes: { readonly started: boolean; readonly ready: boolean };
  readonly hostAddresses: readonly string[];
  /** The guest, its clone and its shares are removed from the host. */
  readonly tornDown: boolean;
  readonly now: number;
}

export type PodPhase = NonNullable<PodStatus['phase']>;

/** Nothing of the Pod runs and nothing will be started: only then may a terminal phase be written. */
export const isOver = ({ desired, observed }: StatusInput): boolean =>
  (desired === 'terminating' || desired === 'finished') && (observed === 'none' || observed === 'exited');

/** A terminal phase never changes, and Running never goes back to Pending. */
export function podPhase(input: StatusInput): PodPhase {
  const { pod, run, failure } = input;
  if (isTerminal(pod)) return pod.status?.phase as PodPhase;
  if (isOver(input)) return failure || run?.exit?.exitCode !== 0 ? 'Failed' : 'Succeeded';
  const hasRun =
    run !== undefined && (run.attempt > 0 || run.exit !== undefined || run.guest?.state.phase === 'running');
  return hasRun || pod.status?.phase === 'Running' ? 'Running' : 'Pending';
}
