import type { Call } from './call.ts';
import { HttpProblem } from './http-problem.ts';
import type { ServedPod } from './served-pod.ts';

/** The Pod and container of `/{namespace}/{pod}[/{uid}]/{container}`; 404 with a kubelet's words when there is none. */
export function findContainer({ segments, server }: Call): { pod: ServedPod; container: string } {
  const [namespace = '', name = ''] = segments;
  const [container = '', uid] = segments.slice(2).reverse();
  const pod = server.guests.find({ namespace, name, uid });
  if (!pod) throw new HttpProblem(404, `pod "${name}" does not exist`);
  if (!pod.containers.includes(container)) {
    throw new HttpProblem(404, `container "${container}" not found in pod "${name}"`);
  }
  return { pod, container };
}

/** The Pod of `/{namespace}/{pod}[/{uid}]`. */
export function findPod({ segments, server }: Call): ServedPod {
  const [namespace = '', name = '', uid] = segments;
  const pod = server.guests.find({ namespace, name, uid });
  if (!pod) throw new HttpProblem(404, `pod "${name}" does not exist`);
  return pod;
}

/** Commands and connections need a guest that runs. */
export function requireRunning(pod: ServedPod): void {
  const { state } = pod;
  if (state?.phase === 'running') return;
  const why = state === undefined ? 'there is no guest' : `the guest is ${state.phase}`;
  throw new HttpProblem(500, `container not found ("${pod.containers[0] ?? ''}"): ${why}`);
}
