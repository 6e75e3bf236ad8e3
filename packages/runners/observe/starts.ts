import { names } from '@minifleet/api';
import type { KubeSecret, ObjectChange, ObjectKey } from '@minifleet/kube';

/** Takes the time from a runner's creation until it was first online, from its Secret: that is made first and tells of both. */
export const createStarts =
  (onStarted: (pool: Required<ObjectKey>, seconds: number) => void) =>
  (change: ObjectChange<KubeSecret>): void => {
    if (change.type !== 'updated' || onlineSince(change.previous) !== undefined) return;
    const { namespace = '', labels, creationTimestamp = '' } = change.object.metadata;
    const time = (onlineSince(change.object) ?? Number.NaN) - Date.parse(creationTimestamp);
    if (Number.isNaN(time)) return;
    onStarted({ namespace, name: labels?.[names.labels.runnerPool] ?? '' }, Math.max(0, time) / 1_000);
  };

function onlineSince({ metadata }: KubeSecret): number | undefined {
  const since = metadata.annotations?.[names.annotations.onlineSince];
  return since === undefined ? undefined : Date.parse(since);
}
