import type { RunnerPool } from '@minifleet/api';
import { minutes } from '@minifleet/clock';

/** Longer than a start may take, so that the next runner of a pool is not lost the same way; then the host gets another chance. */
const SHUNNED_FOR = minutes(15);

/** Hosts on which the last runner of the pool to end never started: while others have room they are not tried again at once (I40). */
export function hostsToShun({ status }: Pick<RunnerPool, 'status'>, now: number): readonly string[] {
  const last = new Map<string, boolean>();
  // The newest is first.
  for (const { host, outcome, endedAt } of status?.recentEnds ?? []) {
    if (host === undefined || last.has(host)) continue;
    last.set(host, outcome === 'NeverStarted' && now - Date.parse(endedAt) < SHUNNED_FOR);
  }
  return [...last].flatMap(([host, shunned]) => (shunned ? [host] : [])).toSorted();
}
