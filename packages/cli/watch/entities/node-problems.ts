import type { Node } from '@minifleet/kube';
import type { Problem } from '../entity.ts';

/** The conditions of a Mac's Node, each with the status under which it is a worry. A test holds them to the agent's own. */
export const NODE_PROBLEM_STATUS: Readonly<Record<string, 'True' | 'False'>> = {
  GUISessionReady: 'False',
  TartReady: 'False',
  ImageStoreHealthy: 'False',
  CertificatesReady: 'False',
  MemoryPressure: 'True',
  DiskPressure: 'True',
  PIDPressure: 'True',
  ForeignVMs: 'True',
};

/** Ready first: it says what the others come to. A Node of which nothing is heard is not Ready, and the rest is not known. */
export function nodeProblems(node: Node | undefined, joined: boolean): Problem[] {
  if (!node) return joined ? [GONE] : [];
  const conditions = node.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const others = conditions.filter(({ type, status }) => NODE_PROBLEM_STATUS[type] === status);
  return [...(ready && ready.status !== 'True' ? [ready] : []), ...others].map(condition => ({
    source: `Node ${condition.type}`,
    label: `Node ${condition === ready ? 'NotReady' : condition.type}`,
    message: condition.message || (condition.reason ?? ''),
    since: Date.parse(condition.lastTransitionTime ?? ''),
  }));
}

/** Told only of one that was seen: the Nodes of a fleet may be in another cluster than its machines. */
const GONE: Problem = {
  ...{ source: 'Node', label: 'Node gone', message: 'none carries the id of this host any more', since: Number.NaN },
};
