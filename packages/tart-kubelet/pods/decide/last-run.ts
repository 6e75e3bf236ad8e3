import type { Pod } from '@minifleet/kube';
import { TERMINATED_EXIT_CODE } from '../../guests/exits.ts';
import type { Guest, GuestExit } from '../../guests/guest.ts';

/** Newest run of a Pod, from its guest or, if nothing of it is left on the host, from the reported status. */
export interface PodRun {
  readonly attempt: number;
  readonly guest: Guest | undefined;
  readonly exit: GuestExit | undefined;
}

type ReportedContainers = NonNullable<Pod['status']>['containerStatuses'];
type ReportedContainer = NonNullable<ReportedContainers>[number];
type TerminatedState = NonNullable<NonNullable<ReportedContainer['state']>['terminated']>;

const LOST: Omit<GuestExit, 'finishedAt'> = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located: its record on the host is gone',
  startedAt: undefined,
};

/**
 * A run that was reported and left no trace has an unknown exit: it counts as failed and never justifies running a
 * single-shot Pod again.
 */
export function lastRun(pod: Pod | undefined, guests: readonly Guest[], now: number): PodRun | undefined {
  const newest = guests.reduce<Guest | undefined>(
    (best, guest) => (best && best.spec.id.attempt > guest.spec.id.attempt ? best : guest),
    undefined,
  );
  if (newest) {
    const exit = newest.state.phase === 'exited' ? newest.state.exit : undefined;
    return { attempt: newest.spec.id.attempt, guest: newest, exit };
  }
  const reported = pod?.status?.containerStatuses?.[0];
  if (!reported?.containerID) return undefined;
  const ended = reported.state?.terminated ?? (reported.state?.waiting ? reported.lastState?.terminated : undefined);
  const exit = ended ? exitOf(ended, now) : { ...LOST, finishedAt: now };
  return { attempt: reported.restartCount, guest: undefined, exit };
}

function exitOf(terminated: TerminatedState, now: number): GuestExit {
  return {
    exitCode: terminated.exitCode,
    reason: terminated.reason ?? 'Error',
    message: terminated.message ?? '',
    startedAt: terminated.startedAt ? Date.parse(terminated.startedAt) : undefined,
    finishedAt: terminated.finishedAt ? Date.parse(terminated.finishedAt) : now,
  };
}

interface ExitDetails {
  /** The run was stopped because a probe or hook failed. */
  readonly probeFailed: boolean;
  readonly tail: string | undefined;
}

/** A run stopped because a probe or hook failed counts as failed, even if it shut down with exit code 0. */
export function explainExit(exit: GuestExit, { probeFailed, tail }: ExitDetails): GuestExit {
  if (probeFailed && exit.exitCode === 0) {
    return { ...exit, exitCode: TERMINATED_EXIT_CODE, reason: 'Error', message: 'stopped: a probe or hook failed' };
  }
  return exit.message === '' && tail ? { ...exit, message: tail } : exit;
}

/**
 * Compares a run's image with the image its Pod now requests. Records of older agents do not contain the requested
 * name.
 */
export function imageChanged(pod: Pod | undefined, guest: Guest | undefined): boolean {
  const ran = guest?.spec.imageName;
  return ran !== undefined && pod !== undefined && ran !== imageOf(pod);
}

export const imageOf = ({ spec }: Pod): string | undefined => spec?.containers[0]?.image;
