import type { Pod } from '@minifleet/kube';
import { imageOf } from './decide/last-run.ts';
import type { Work } from './pod-context.ts';

/**
 * Takes a newer state of the Pod, from the watch or as the answer to a write of ours; false for one that is not news. The
 * watch lags behind our own writes, so that either may be the first to tell of a change of somebody else's.
 */
export function see(work: Work, newer: Pod): boolean {
  const { life } = work;
  const before = life.pod;
  const known = Number(before?.metadata.resourceVersion ?? 0);
  if (Number(newer.metadata.resourceVersion ?? 0) < known) return false;
  life.pod = newer;
  if (before && imageOf(before) !== imageOf(newer)) launchAnew(work);
  if (shownOf(before) !== shownOf(newer)) life.tending?.refreshVolumes();
  return true;
}

/** What is waited for or under way is for the image before. */
function launchAnew(work: Work): void {
  const { life } = work;
  life.retry?.wait.cancel();
  life.retry = undefined;
  life.launch?.abort.abort(new Error('the image was changed'));
  work.wake();
}

/** What a downward API volume shows and may change. */
const shownOf = (pod: Pod | undefined): string => JSON.stringify([pod?.metadata.labels, pod?.metadata.annotations]);
