import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import type { ContainerState, Picture } from './picture.ts';
import { isOver } from './pod-phase.ts';

/** The API's limit for all termination messages of a Pod; ours has one container. */
const MESSAGE_LIMIT = 12 * 1_024;

export function terminated(exit: GuestExit, containerID: string | undefined): ContainerState {
  const { startedAt, finishedAt, exitCode, reason, message } = exit;
  return {
    terminated: {
      exitCode,
      reason,
      finishedAt: timestamp(finishedAt),
      ...defined({
        message: message.slice(0, MESSAGE_LIMIT) || undefined,
        startedAt: startedAt === undefined ? undefined : timestamp(startedAt),
        containerID,
      }),
    },
  };
}

const NEVER_STARTED = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
};

const waitingFor = (reason: string, message: string | undefined): ContainerState => ({
  waiting: { reason, ...defined({ message }) },
});

/** What the container is doing now. An exit that is followed by a restart shows as the wait for it. */
export function containerState(picture: Picture, containerID: string | undefined): ContainerState {
  const { run, waiting, observed } = picture;
  const state = run?.guest?.state;
  if (state?.phase === 'running') return { running: { startedAt: timestamp(state.startedAt) } };
  if (state?.phase === 'starting') return waitingFor('ContainerCreating', 'The guest is booting');
  if (state?.phase === 'creating') return waitingFor(waiting?.reason ?? 'ContainerCreating', waiting?.message);
  const restarts = waiting !== undefined || observed === 'launching';
  if (run?.exit && (isOver(picture) || !restarts)) return terminated(run.exit, containerID);
  if (isOver(picture)) return { terminated: NEVER_STARTED };
  return waitingFor(waiting?.reason ?? 'ContainerCreating', waiting?.message);
}
