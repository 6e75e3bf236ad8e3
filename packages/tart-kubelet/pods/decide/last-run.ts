import type { Pod } from '@minifleet/kube';
import { TOLD_TO_END } from '../../guests/exits.ts';
import type { Guest, GuestExit } from '../../guests/guest.ts';

/** The newest run of a Pod, from its guest or, when nothing of it is left on the host, from what was reported of it. */
export interface Run {
  readonly attempt: number;
  readonly guest: Guest | undefined;
  readonly exit: GuestExit | undefined;
}

type Statuses = NonNullable<Pod['status']>['containerStatuses'];
type ContainerStatus = NonNullable<Statuses>[number];
type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

const LOST: Omit<GuestExit, 'finishedAt'> = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located: its record on the host is gone',
  startedAt: undefined,
};

/**
 * A run that was reported and has left no trace has ended in a way nobody knows: a failure, and never a reason to run a
 * single-shot Pod a second time.
 */
export function lastRun(pod: Pod | undefined, guests: readonly Guest[], now: number): Run | undefined {
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

function exitOf(terminated: Terminated, now: number): GuestExit {
  return {
    exitCode: terminated.exitCode,
    reason: terminated.reason ?? 'Error',
    message: terminated.message ?? '',
    startedAt: terminated.startedAt ? Date.parse(terminated.startedAt) : undefined,
    finishedAt: terminated.finishedAt ? Date.parse(terminated.finishedAt) : now,
  };
}

interface Explanation {
  /** It was stopped because a probe or a hook failed. */
  readonly condemned: boolean;
  readonly tail: string | undefined;
}

/** A run that was stopped for failing has failed, however orderly it shut down. */
export function explainExit(exit: GuestExit, { condemned, tail }: Explanation): GuestExit {
  if (condemned && exit.exitCode === 0) {
    return { ...exit, exitCode: TOLD_TO_END, reason: 'Error', message: 'stopped: a probe or hook failed' };
  }
  return exit.message === '' && tail ? { ...exit, message: tail } : exit;
}

/** Whether a run is of another image than its Pod asks for by now. Records of earlier agents do not say what was asked for. */
export function imageChanged(pod: Pod | undefined, guest: Guest | undefined): boolean {
  const ran = guest?.spec.imageName;
  return ran !== undefined && pod !== undefined && ran !== imageOf(pod);
}

export const imageOf = ({ spec }: Pod): string | undefined => spec?.containers[0]?.image;
