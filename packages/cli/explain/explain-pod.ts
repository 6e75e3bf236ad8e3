import { judgeStuckPod, releaseReasons, stuckCauses } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { deleting, type Node, type Pod } from '@minifleet/kube/client';
import { nameOf } from '../cluster/machines.ts';
import { age } from '../get/age.ts';
import { podState } from '../get/kinds/guests.ts';
import { type ExplainContext, lastWarning, type ObjectExplanation, sentence } from './explanation.ts';

export interface PodExplainInput extends ExplainContext {
  readonly pod: Pod;
  readonly node: Node | undefined;
}

/** Where a guest is, what it waits for, and, when it does not go, what holds it. */
export function explainPod(view: PodExplainInput): ObjectExplanation {
  const { pod, node, now } = view;
  if (deleting(pod)) return leaving(view);
  const { state, since, why } = podState(pod);
  const place = pod.spec?.nodeName === undefined ? 'has no Node yet' : `is on Node ${pod.spec.nodeName}`;
  const words = `${nameOf(pod)} ${place} and is ${state} for ${age(since, now)}${why === '' ? '.' : `: ${sentence(why)}`}`;
  const unheard = node && !isReady(node) ? `Node ${node.metadata.name} is not Ready, so this may be old.` : undefined;
  const warning = lastWarning(view, words);
  return {
    sentences: [words, unheard, warning].filter(each => each !== undefined),
    next: unheard ? `minifleet explain host/${node?.metadata.name}` : nextFor(pod, state),
  };
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;

function nextFor(pod: Pod, state: string): string {
  const at = `${pod.metadata.name} -n ${pod.metadata.namespace}`;
  if (state === 'Failed') return `kubectl logs ${at}`;
  if (pod.spec?.nodeName === undefined) return 'minifleet get guests, to see who has the VM slots; minifleet get hosts';
  return state === 'Pending' ? `wait: its agent is at it; kubectl describe pod ${at}` : 'nothing to do';
}

function leaving({ pod, node, now, events }: PodExplainInput): ObjectExplanation {
  const verdict = judgeStuckPod({ pod, node, now, stuckAfter: minutes(10) });
  const words = `${nameOf(pod)} is being deleted for ${age(pod.metadata.deletionTimestamp, now)}.`;
  const warning = lastWarning({ events, now }, words);
  const told = (why: string): string[] => [
    words,
    sentence(`It is still there because ${why}`),
    ...(warning ? [warning] : []),
  ];
  switch (verdict.kind) {
    case 'release':
      return {
        sentences: told(`a finalizer holds it, though ${releaseReasons[verdict.why]}`),
        next: 'minifleet unstick pods',
      };
    case 'stuck':
      return { sentences: told(stuckCauses[verdict.cause]), next: 'docs/runbooks/pods-stuck-terminating.md' };
    case 'keep':
      return { sentences: told('its agent is still at it'), next: 'wait: its VM is given its grace' };
  }
}
