import type { Node } from '@minifleet/kube';
import type { EntityProblem } from '../entity.ts';

/** Conditions of a Mac's Node with the status that is a problem. A test compares them with the agent's conditions. */
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

/** Lists the problems of a Node, Ready first because it summarizes the others. A silent Node is not Ready and its other conditions are unknown. */
export function nodeProblems(node: Node | undefined, joined: boolean): EntityProblem[] {
  if (!node) return joined ? [NODE_MISSING] : [];
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

/** Only for a host whose Node was observed before, because the Nodes of a fleet may be in another cluster than its machines. */
const NODE_MISSING: EntityProblem = {
  ...{ source: 'Node', label: 'Node deleted', message: 'no Node has the providerID of this host', since: Number.NaN },
};
