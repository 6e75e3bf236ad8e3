/** /pods and /runningpods. */
import type { Pod } from '@minifleet/kube';
import type { ServerGuests } from './served-pod.ts';

const list = (items: readonly object[]): object => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

/** Every Pod bound to this Node, as the API server knows it. */
export const podList = (pods: readonly Pod[]): object => list(pods);

/** Those whose guest runs now, in short: what the host knows rather than what was reported. */
export function runningPodList(pods: readonly Pod[], guests: ServerGuests): object {
  const running = pods.filter(({ metadata: { namespace = '', name, uid } }) => {
    return guests.find({ namespace, name, uid })?.state?.phase === 'running';
  });
  return list(
    running.map(({ metadata: { namespace, name, uid }, spec }) => ({
      metadata: { namespace, name, uid },
      spec: {
        containers: (spec?.containers ?? []).map(container => ({ name: container.name, image: container.image })),
      },
      status: {},
    })),
  );
}
