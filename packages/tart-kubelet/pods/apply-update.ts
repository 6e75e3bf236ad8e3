import type { Pod } from '@minifleet/kube';
import { imageOf } from './decide/last-run.ts';
import type { PodContext } from './pod-context.ts';

/**
 * Stores a newer state of the Pod, from the watch or from the response to the agent's own write; false if it is not
 * newer. The watch lags behind the agent's writes, so either may be the first to show a change made by another client.
 */
export function applyUpdate(context: PodContext, newer: Pod): boolean {
  const { state } = context;
  const before = state.pod;
  const known = Number(before?.metadata.resourceVersion ?? 0);
  if (Number(newer.metadata.resourceVersion ?? 0) < known) return false;
  state.pod = newer;
  if (before && imageOf(before) !== imageOf(newer)) cancelLaunch(context);
  if (downwardFields(before) !== downwardFields(newer)) state.monitor?.refreshVolumes();
  return true;
}

/** Cancels a retry or launch of the previous image. */
function cancelLaunch(context: PodContext): void {
  const { state } = context;
  state.retry?.wait.cancel();
  state.retry = undefined;
  state.launch?.abort.abort(new Error('the image was changed'));
  context.wake();
}

/** Fields that a downward API volume exposes and that may change. */
const downwardFields = (pod: Pod | undefined): string =>
  JSON.stringify([pod?.metadata.labels, pod?.metadata.annotations]);
