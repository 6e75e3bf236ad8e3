import type { Pod } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import type { Run } from '../decide/last-run.ts';
import { type Desired, type Ending, isTerminal, type Observed } from '../decide/pod-table.ts';

export type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
export type ContainerState = NonNullable<ContainerStatus['state']>;
export type PodCondition = NonNullable<PodStatus['conditions']>[number];

/** Why a container does not run yet, in kubelet's words where it has one. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string | undefined;
}

/** Everything a Pod's status is made from, as plain data. */
export interface Picture {
  /** As the API server has it: foreign parts and times are taken from here. */
  readonly pod: Pod;
  readonly desired: Desired;
  readonly observed: Observed;
  readonly run: Run | undefined;
  /** How the run before this one ended, if the host still knows. */
  readonly lastExit: GuestExit | undefined;
  readonly waiting: Waiting | undefined;
  readonly ending: Ending | undefined;
  readonly probes: { readonly started: boolean; readonly ready: boolean };
  readonly hostAddresses: readonly string[];
  /** The guest is gone from the host, its clone and its shares too. */
  readonly tornDown: boolean;
  readonly now: number;
}

export type Phase = NonNullable<PodStatus['phase']>;

/** Nothing of the Pod runs any more and nothing will be started: only then may a terminal phase be written. */
export const isOver = ({ desired, observed }: Picture): boolean =>
  (desired === 'terminating' || desired === 'finished') && (observed === 'none' || observed === 'exited');

/** A terminal phase never changes; before it, Running is never taken back. */
export function podPhase(picture: Picture): Phase {
  const { pod, run, ending } = picture;
  if (isTerminal(pod)) return pod.status?.phase as Phase;
  if (isOver(picture)) return ending || run?.exit?.exitCode !== 0 ? 'Failed' : 'Succeeded';
  const hasRun =
    run !== undefined && (run.attempt > 0 || run.exit !== undefined || run.guest?.state.phase === 'running');
  return hasRun || pod.status?.phase === 'Running' ? 'Running' : 'Pending';
}
