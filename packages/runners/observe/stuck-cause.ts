import { isOverdue, judgeStuckPod, type StuckCause, stuckCauses } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { deleting, type Node, type Pod } from '@minifleet/kube';

/** As of every Pod on our Nodes; and two of which something else takes care in time. */
export type RunnerStuckCause = StuckCause | 'OlderAgent' | 'NodeGone';

export const STUCK_CAUSES: readonly RunnerStuckCause[] = [
  ...(Object.keys(stuckCauses) as StuckCause[]),
  'OlderAgent',
  'NodeGone',
];

export interface RunnerStuckView {
  readonly node: Node | undefined;
  readonly now: number;
  readonly stuckAfter: Duration;
}

/** Why a Pod is not gone though its time is over; undefined when it is not. */
export function stuckCause(pod: Pod, view: RunnerStuckView): RunnerStuckCause | undefined {
  if (!deleting(pod) || !isOverdue({ pod, ...view })) return undefined;
  const verdict = judgeStuckPod({ pod, ...view });
  if (verdict.kind === 'stuck') return verdict.cause;
  return verdict.kind === 'release' ? 'OlderAgent' : 'NodeGone';
}
