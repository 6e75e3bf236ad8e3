import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import { type ContainerState, type ContainerStatus, isOver, type Picture } from './status-input.ts';

/** The API's limit for all termination messages of a Pod; ours has one container. */
const MESSAGE_LIMIT = 12 * 1_024;

function terminated(exit: GuestExit, containerID: string | undefined): ContainerState {
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
function containerState(picture: Picture, containerID: string | undefined): ContainerState {
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

/** `tart://pod-<uid>-<attempt>`: the VM's name on its host. */
const containerIdOf = (uid: string, attempt: number): string => `tart://pod-${uid}-${attempt}`;

/** The status of the Pod's one container; none for a Pod that was refused and so never had one. */
export function containerStatuses(picture: Picture): ContainerStatus[] {
  const { pod, run, probes, ending } = picture;
  const container = pod.spec?.containers[0];
  if (!container || (ending?.refused && !run)) return [];
  const previous = pod.status?.containerStatuses?.[0];
  const begun = begunAttempt(picture);
  const containerID = begun === undefined ? undefined : containerIdOf(pod.metadata.uid ?? '', begun);
  const state = containerState(picture, containerID);
  const running = state.running !== undefined;
  return [
    {
      name: container.name,
      image: run?.guest?.spec.imageName ?? container.image ?? '',
      imageID: (run?.guest?.spec.image || previous?.imageID) ?? '',
      restartCount: begun ?? 0,
      started: running && probes.started,
      ready: running && probes.started && probes.ready,
      state,
      lastState: lastState(picture, state),
      ...defined({ containerID }),
    },
  ];
}

/** A VM that is being cloned is none yet: until it is there the run before it is the newest one. */
function begunAttempt({ run }: Picture): number | undefined {
  if (run?.guest?.state.phase !== 'creating') return run?.attempt;
  return run.attempt > 0 ? run.attempt - 1 : undefined;
}

/** The end of the run before the one `state` speaks of; while waiting for a restart that is the newest run itself. */
function lastState({ pod, run, lastExit }: Picture, state: ContainerState): ContainerState {
  const uid = pod.metadata.uid ?? '';
  if (run?.exit && state.waiting) return terminated(run.exit, containerIdOf(uid, run.attempt));
  if (run && lastExit) return terminated(lastExit, containerIdOf(uid, run.attempt - 1));
  const reported = pod.status?.containerStatuses?.[0];
  if (reported && run && reported.restartCount < run.attempt && reported.state?.terminated) return reported.state;
  return reported?.lastState ?? {};
}
