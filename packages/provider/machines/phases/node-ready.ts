import type { machineConditions, ReasonOf } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import type { MachineScope } from '../machine-scope.ts';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';

type NodeReadyEnd = PhaseEnd<ReasonOf<typeof machineConditions, 'NodeReady'>>;

/** The Node of the machine is registered with its providerID. */
export const hasJoined = ({ machine, node }: Pick<MachineScope, 'machine' | 'node'>): boolean =>
  node !== undefined && node.spec?.providerID === machine.spec.providerID;

/**
 * The machine is provisioned when its Node is Ready for the first time, and stays provisioned: the agent registers a Node that was deleted
 * by hand again, and nothing is done on the host (I37).
 */
export const nodeReady = phase('NodeReady', async scope => {
  const end = judgeNode(scope);
  if (end.kind === 'passed') scope.machine.status = { ...scope.machine.status, initialization: { provisioned: true } };
  return end;
});

export function judgeNode({
  machine,
  node,
  duplicateNodes = [],
}: Pick<MachineScope, 'machine' | 'node' | 'duplicateNodes'>): NodeReadyEnd {
  const { name } = machine.metadata;
  const expected = machine.spec.providerID;
  if (!node) return waiting('WaitingForNode', `the agent has not registered the Node ${name}`);
  const found = node.spec?.providerID;
  if (!found) return waiting('WaitingForNode', `the Node ${name} has no providerID yet`);
  if (found !== expected)
    return waiting('ProviderIDMismatch', `the Node ${name} has the providerID ${found} instead of ${expected}`);
  if (duplicateNodes.length > 0) {
    const message = `the providerID ${expected} is also set on ${duplicateNodes.join(', ')}; delete the Node that does not run on this host`;
    return waiting('ProviderIDMismatch', message);
  }
  const problem = problemOf(node);
  return problem === undefined ? passed('NodeReady', `the Node ${name} is Ready`) : waiting('NodeNotReady', problem);
}

/** Reason and message of the condition Ready of a Node that is not Ready. */
function problemOf({ metadata, status }: Node): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  const reported = [ready?.reason, ready?.message].filter(Boolean).join(': ');
  return `the Node ${metadata.name} is not Ready: ${reported || 'no status reported yet'}`;
}
