import type { Pod } from '@minifleet/kube';
import { isTerminal } from './desired.ts';

/** When a Pod's time is up, in milliseconds since the epoch; undefined without a limit, a start, or a need. */
export function activeDeadline(pod: Pod): number | undefined {
  const limit = pod.spec?.activeDeadlineSeconds;
  const start = pod.status?.startTime;
  if (limit === undefined || !start || isTerminal(pod) || pod.metadata.deletionTimestamp) return undefined;
  return Date.parse(start) + limit * 1_000;
}
