import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import type { GuestExit } from '../../guests/guest.ts';
import { type ContainerState, type ContainerStatus, isOver, type StatusInput } from './status-input.ts';

/** The API's limit for all termination messages of a Pod, which has one container here. */
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

/** Current state of the container. An exit followed by a restart shows as waiting. */
function containerState(input: StatusInput, containerID: string | undefined): ContainerState {
  const { run, waiting, observed } = input;
  const state = run?.guest?.state;
  if (state?.phase === 'running') return { running: { startedAt: timestamp(state.startedAt) } };
  if (state?.phase === 'starting') return waitingFor('ContainerCreating', 'The guest is booting');
  if (state?.phase === 'creating') return waitingFor(waiting?.reason ?? 'ContainerCreating', waiting?.message);
  const restarts = waiting !== undefined || observed === 'launching';
  if (run?.exit && (isOver(input) || !restarts)) return terminated(run.exit, containerID);
  if (isOver(input)) return { terminated: NEVER_STARTED };
  return waitingFor(waiting?.reason ?? 'ContainerCreating', waiting?.message);
}

/** `tart://pod-<uid>-<attempt>`: the VM name on its host. */
const containerIdOf = (uid: string, attempt: number): string => `tart://pod-${uid}-${attempt}`;

/** Status of the Pod's only container; empty for a rejected Pod, which never had one. */
export function containerStatuses(input: StatusInput): ContainerStatus[] {
  const { pod, run, probes, failure } = input;
  const container = pod.spec?.containers[0];
  if (!container || (failure?.refused && !run)) return [];
  const previous = pod.status?.containerStatuses?.[0];
  const begun = begunAttempt(input);
  const inherited = run?.guest?.spec.vmName;
  const own = begun === undefined ? undefined : containerIdOf(pod.metadata.uid ?? '', begun);
  // The next agent process finds the VM of the previous system by this id again.
  const containerID = inherited === undefined ? own : `tart://${inherited}`;
  const state = containerState(input, containerID);
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
      lastState: lastState(input, state),
      ...defined({ containerID }),
    },
  ];
}

/** A VM that is being cloned does not count yet; until it exists, the previous run is the newest one. */
function begunAttempt({ run }: StatusInput): number | undefined {
  if (run?.guest?.state.phase !== 'creating') return run?.attempt;
  return run.attempt > 0 ? run.attempt - 1 : undefined;
}

/** End of the run before the one in `state`; while waiting for a restart, that is the newest run itself. */
function lastState({ pod, run, lastExit }: StatusInput, state: ContainerState): ContainerState {
  const uid = pod.metadata.uid ?? '';
  if (run?.exit && state.waiting) return terminated(run.exit, containerIdOf(uid, run.attempt));
  if (run && lastExit) return terminated(lastExit, containerIdOf(uid, run.attempt - 1));
  const reported = pod.status?.containerStatuses?.[0];
  if (reported && run && reported.restartCount < run.attempt && reported.state?.terminated) return reported.state;
  return reported?.lastState ?? {};
}
