import { judgeStuckPod, type StuckVerdict } from './judge-stuck-pod.ts';
import type { NodeSeen, PodSeen } from './seen.ts';

export interface UnstickOptions<P extends PodSeen, N extends NodeSeen & Named> {
  readonly pods: readonly P[];
  /** All Nodes: a Pod whose Node is not among them counts as one whose Node is gone. */
  readonly nodes: readonly N[];
  readonly now: number;
  readonly stuckAfter: number;
}

export interface Judged<P extends PodSeen> {
  readonly pod: P;
  readonly verdict: StuckVerdict;
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** What one pass over all Pods would do: those that concern us, each with its verdict. The rest is left out. */
export function planUnstick<P extends PodSeen, N extends NodeSeen & Named>({
  pods,
  nodes,
  now,
  stuckAfter,
}: UnstickOptions<P, N>): Judged<P>[] {
  const byName = new Map(nodes.map(node => [node.metadata.name, node]));
  return pods
    .map(pod => {
      const node = byName.get(pod.spec?.nodeName ?? '');
      return { pod, verdict: judgeStuckPod({ pod, node, now, stuckAfter }) };
    })
    .filter(({ verdict }) => verdict.kind !== 'keep' || verdict.why === 'Terminating');
}
