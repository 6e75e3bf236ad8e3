import { isConflict, isNotFound, pods } from '@minifleet/kube';
import { applyUpdate } from './apply-update.ts';
import { observe, type PodObservation } from './observe.ts';
import type { PodContext } from './pod-context.ts';
import { podStatus, statusPatch } from './status/pod-status.ts';

/**
 * Writes the Pod's status if it differs from the server's. The patch carries the UID and no resourceVersion: a later
 * Pod of the same name is not touched, and writes of other clients cause no conflict.
 */
export async function reportStatus(context: PodContext, observation: PodObservation = observe(context)): Promise<void> {
  const { state, deps } = context;
  const { pod } = state;
  if (!pod || state.gone) return;
  const desired = podStatus({
    ...observation,
    pod,
    lastExit: state.lastExit,
    waiting: state.waiting,
    failure: state.failure,
    probes: probesOf(context, observation),
    hostAddresses: deps.node().addresses,
    tornDown: state.tornDown,
    now: deps.clock.now(),
  });
  const status = statusPatch(pod.status, desired);
  if (!status) return;
  const { namespace = 'default', name, uid } = pod.metadata;
  const patch = { type: 'strategic', body: { metadata: { uid }, status } } as const;
  try {
    applyUpdate(context, await deps.client.patch(pods, { namespace, name }, patch, { subresource: 'status' }));
  } catch (error) {
    // The Pod is gone or replaced by one of the same name; the watch is about to report it.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function probesOf({ state }: PodContext, { run }: PodObservation): { started: boolean; ready: boolean } {
  const { monitor } = state;
  return monitor && monitor.attempt === run?.attempt ? monitor.prober : { started: false, ready: false };
}
