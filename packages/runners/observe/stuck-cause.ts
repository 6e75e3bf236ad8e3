import { isOverdue, judgeStuckPod, type StuckCause, stuckCauses } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { deleting, type Node, type Pod } from '@minifleet/kube';

/** Causes of every Pod on a Mac, and two that another controller resolves. */
type RunnerStuckCause = StuckCause | 'OlderAgent' | 'NodeGone';

export const STUCK_CAUSES: readonly RunnerStuckCause[] = [
  ...(Object.keys(stuckCauses) as StuckCause[]),
  'OlderAgent',
  'NodeGone',
];

interface RunnerStuckView {
  readonly node: Node | undefined;
  readonly now: number;
  readonly stuckAfter: Duration;
}

/** Cause for which a Pod still exists after its deadline; undefined if it is not stuck. */
export function stuckCause(pod: Pod, view: RunnerStuckView): RunnerStuckCause | undefined {
  if (!deleting(pod) || !isOverdue({ pod, ...view })) return undefined;
  const verdict = judgeStuckPod({ pod, ...view });
  if (verdict.kind === 'stuck') return verdict.cause;
  return verdict.kind === 'release' ? 'OlderAgent' : 'NodeGone';
}
