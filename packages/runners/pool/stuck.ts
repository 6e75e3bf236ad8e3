import { isOverdue, judgeStuckPod, type StuckCause, stuckCauses } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';
import type { Runner } from '../runners/runner.ts';

/** Why a Pod that should be gone is not, in a sentence. */
export type StuckPods = ReadonlyMap<string, string>;

const NODE_GONE = 'its Node does not exist any more; Kubernetes removes such Pods within minutes';
const OLDER_AGENT = 'the finalizer of the older agent holds it; the provider removes that, or minifleet unstick pods';

export interface StuckLook {
  readonly runners: readonly Runner[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly stuckAfter: Duration;
  readonly now: number;
}

/** The Pods that are Terminating beyond their time. None is passed over: they are not alive, and may hold a VM slot (I10). */
export function stuckPods({ runners, nodeOf, stuckAfter, now }: StuckLook): StuckPods {
  const found = new Map<string, string>();
  for (const { name, pod, state } of runners) {
    if (!pod || state !== 'terminating' || !isOverdue({ pod, now, stuckAfter })) continue;
    const node = nodeOf(pod.spec?.nodeName ?? '');
    const verdict = judgeStuckPod({ pod, node, now, stuckAfter });
    if (verdict.kind === 'stuck') found.set(name, wordsFor(verdict.cause, pod.metadata.finalizers));
    else found.set(name, verdict.kind === 'release' ? OLDER_AGENT : NODE_GONE);
  }
  return found;
}

const wordsFor = (cause: StuckCause, finalizers: readonly string[] = []): string =>
  cause === 'OtherFinalizer' ? `${stuckCauses[cause]} (${finalizers.join(', ')})` : stuckCauses[cause];
