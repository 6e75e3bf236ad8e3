import {
  agentOf,
  hasEnded,
  isFinished,
  isHeldForVM,
  isReady,
  isUntouched,
  type ObservedNode,
  type ObservedPod,
} from './observed-pod.ts';

/** Reasons to remove the finalizer of the previous agent. Each is evidence that no VM of the Pod runs. */
export const releaseReasons = {
  Finished: 'the agent reports that nothing of the Pod is left on its host',
  NeverBound: 'the Pod was never bound to a Node',
  NodeGone: 'the Node no longer exists',
  NeverStarted: 'the agent of its Node never started the Pod',
  VMEnded: 'its VM has ended, but the agent did not release the Pod',
} as const;

export const keepReasons = {
  NotDeleting: 'the Pod is not being deleted',
  NotOurs: 'neither the Pod nor its Node belongs to Minifleet',
  Terminating: 'its agent is still terminating it',
} as const;

/** Causes for a Pod that exceeds its grace period, with the action for the operator. */
export const stuckCauses = {
  VMMayRun: 'the agent has not reported the end of the VM; inspect the host: minifleet host inspect',
  NodeNotReady: 'the Node is not Ready, so the state of the VM is unknown; repair the host, or delete its Machine',
  ForeignNode: 'its Node runs no Minifleet agent, so the end of the VM is never reported',
  OtherFinalizer: 'other finalizers hold it; their owners must remove them',
} as const;

export type ReleaseReason = keyof typeof releaseReasons;
type KeepReason = keyof typeof keepReasons;
export type StuckCause = keyof typeof stuckCauses;

export type StuckPodDecision =
  | { readonly kind: 'release'; readonly why: ReleaseReason }
  | { readonly kind: 'keep'; readonly why: KeepReason }
  | { readonly kind: 'stuck'; readonly cause: StuckCause };

interface StuckPodInput {
  readonly pod: ObservedPod;
  /** Node of the Pod; undefined if it does not exist. */
  readonly node: ObservedNode | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds after the grace period until a Pod counts as stuck. */
  readonly stuckAfter: number;
}

/** Decides if the finalizer of the previous agent can be removed from a deleted Pod. Never while its VM may still run. */
export function judgeStuckPod(view: StuckPodInput): StuckPodDecision {
  const { pod, node } = view;
  if (pod.metadata.deletionTimestamp === undefined) return keep('NotDeleting');
  if (!isHeldForVM(pod)) return judgeOthers(view);
  const why = evidence(view);
  if (why) return { kind: 'release', why };
  if (!isOverdue(view)) return keep('Terminating');
  if (node && agentOf(node) === 'another') return stuck('ForeignNode');
  return stuck(node && !isReady(node) ? 'NodeNotReady' : 'VMMayRun');
}

/** Pods of Minifleet Nodes without that finalizer: they are reported, but not released. */
function judgeOthers(view: StuckPodInput): StuckPodDecision {
  const { pod, node } = view;
  if (!node || agentOf(node) === 'another') return keep('NotOurs');
  if (!isOverdue(view)) return keep('Terminating');
  if ((pod.metadata.finalizers ?? []).length > 0) return stuck('OtherFinalizer');
  return stuck(isReady(node) ? 'VMMayRun' : 'NodeNotReady');
}

function evidence(view: StuckPodInput): ReleaseReason | undefined {
  const { pod, node } = view;
  if (isFinished(pod)) return 'Finished';
  if (!pod.spec?.nodeName) return 'NeverBound';
  if (!node) return 'NodeGone';
  const agent = agentOf(node);
  // The agent cleans up first, so both checks wait until the Pod is overdue.
  if (agent === 'another' || !isOverdue(view)) return undefined;
  if (hasEnded(pod)) return 'VMEnded';
  // Only a connected agent would have reported a VM that it started; a disconnected one might not.
  return agent === 'ours' && isReady(node) && isUntouched(pod) ? 'NeverStarted' : undefined;
}

/** `deletionTimestamp` is the end of the grace period. */
export const isOverdue = ({ pod, now, stuckAfter }: Omit<StuckPodInput, 'node'>): boolean =>
  now - Date.parse(pod.metadata.deletionTimestamp ?? '') > stuckAfter;

const keep = (why: KeepReason): StuckPodDecision => ({ kind: 'keep', why });
const stuck = (cause: StuckCause): StuckPodDecision => ({ kind: 'stuck', cause });

interface UnstickOptions<P extends ObservedPod, N extends ObservedNode & NamedObject> {
  readonly pods: readonly P[];
  /** All Nodes. A Node that is not in this list counts as deleted. */
  readonly nodes: readonly N[];
  readonly now: number;
  readonly stuckAfter: number;
}

export interface JudgedPod<P extends ObservedPod> {
  readonly pod: P;
  readonly verdict: StuckPodDecision;
}

interface NamedObject {
  readonly metadata: { readonly name: string };
}

/** Decides for all Pods; Pods that are not being deleted or do not belong to Minifleet are omitted. */
export function planUnstick<P extends ObservedPod, N extends ObservedNode & NamedObject>({
  pods,
  nodes,
  now,
  stuckAfter,
}: UnstickOptions<P, N>): JudgedPod<P>[] {
  const byName = new Map(nodes.map(node => [node.metadata.name, node]));
  return pods
    .map(pod => {
      const node = byName.get(pod.spec?.nodeName ?? '');
      return { pod, verdict: judgeStuckPod({ pod, node, now, stuckAfter }) };
    })
    .filter(({ verdict }) => verdict.kind !== 'keep' || verdict.why === 'Terminating');
}
