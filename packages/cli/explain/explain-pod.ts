import { judgeStuckPod, releaseReasons, stuckCauses } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { deleting, type Node, type Pod } from '@minifleet/kube/client';
import { nameOf } from '../cluster/machines.ts';
import { age } from '../get/age.ts';
import { podState } from '../get/kinds/guests.ts';
import { type ExplainContext, lastWarning, type ObjectExplanation, sentence } from './explanation.ts';

interface PodExplainInput extends ExplainContext {
  readonly pod: Pod;
  readonly node: Node | undefined;
}

/** Explains the Node of a guest, what the guest waits for, and what blocks its deletion. */
export function explainPod(view: PodExplainInput): ObjectExplanation {
  const { pod, node, now } = view;
  if (deleting(pod)) return leaving(view);
  const { state, since, why } = podState(pod);
  const place = pod.spec?.nodeName === undefined ? 'without a Node' : `on Node ${pod.spec.nodeName}`;
  const summary = `${nameOf(pod)} has been ${state} for ${age(since, now)} ${place}${why === '' ? '.' : `: ${sentence(why)}`}`;
  const stale =
    node && !isReady(node) ? `Node ${node.metadata.name} is not Ready; the status may be outdated.` : undefined;
  const warning = lastWarning(view, summary);
  return {
    sentences: [summary, stale, warning].filter(each => each !== undefined),
    next: stale ? `minifleet explain host/${node?.metadata.name}` : nextFor(pod, state),
  };
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;

function nextFor(pod: Pod, state: string): string {
  const at = `${pod.metadata.name} -n ${pod.metadata.namespace}`;
  if (state === 'Failed') return `kubectl logs ${at}`;
  if (pod.spec?.nodeName === undefined)
    return 'minifleet get guests, to see which Pods use the VM slots; minifleet get hosts';
  return state === 'Pending' ? `none, the agent is starting the VM; kubectl describe pod ${at}` : 'none';
}

function leaving({ pod, node, now, events }: PodExplainInput): ObjectExplanation {
  const verdict = judgeStuckPod({ pod, node, now, stuckAfter: minutes(10) });
  const state = `${nameOf(pod)} has been deleting for ${age(pod.metadata.deletionTimestamp, now)}.`;
  const warning = lastWarning({ events, now }, state);
  const because = (why: string): string[] => [
    state,
    sentence(`It still exists because ${why}`),
    ...(warning ? [warning] : []),
  ];
  switch (verdict.kind) {
    case 'release':
      return {
        sentences: because(`a finalizer holds it, although ${releaseReasons[verdict.why]}`),
        next: 'minifleet unstick pods',
      };
    case 'stuck':
      return { sentences: because(stuckCauses[verdict.cause]), next: 'docs/runbooks/pods-stuck-terminating.md' };
    case 'keep':
      return { sentences: because('the agent is stopping the VM'), next: 'none, the grace period has not ended' };
  }
}
