/** Which file holds the log that was asked for, or why there is none, in the words of a kubelet. */
import type { GuestState } from '../../guests/guest.ts';
import { HttpProblem } from '../http-problem.ts';
import type { ServedPod } from '../served-pod.ts';

export function logFileOf(pod: ServedPod, container: string, previous: boolean): string {
  const file = pod.logFile(previous ? 'previous' : 'current');
  const which = `container "${container}" in pod "${pod.name}"`;
  if (previous && file === undefined) throw new HttpProblem(400, `previous terminated ${which} not found`);
  if (previous) return file ?? '';
  if (isWaiting(pod.state)) throw new HttpProblem(400, `${which} is waiting to start: ContainerCreating`);
  if (file === undefined) throw new HttpProblem(400, `${which} is not available`);
  return file;
}

const isWaiting = (state: GuestState | undefined): boolean =>
  state?.phase === 'creating' || state?.phase === 'starting';

/** A guest that is starting will write, too; one that is gone or has exited will not. */
export const isWriting = (pod: ServedPod): boolean => pod.state !== undefined && pod.state.phase !== 'exited';
