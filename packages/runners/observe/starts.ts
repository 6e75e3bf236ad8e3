import { names } from '@minifleet/api';
import type { KubeSecret, ObjectChange, ObjectKey } from '@minifleet/kube';

/** Measures the time from the creation of a runner until it was first online. Its Secret is created first and has both times. */
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
