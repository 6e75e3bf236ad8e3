import { defined } from '@minifleet/kube';
import { containerState, terminated } from './container-state.ts';
import type { ContainerState, ContainerStatus, Picture } from './picture.ts';

/** `tart://pod-<uid>-<attempt>`: the VM's name on its host. */
export const containerIdOf = (uid: string, attempt: number): string => `tart://pod-${uid}-${attempt}`;

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
