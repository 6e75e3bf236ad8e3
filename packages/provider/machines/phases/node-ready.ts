import type { machineConditions, ReasonOf } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import { type PhaseEnd, passed, phase, waiting } from '../phase.ts';
import type { MachineScope } from '../scope.ts';

type End = PhaseEnd<ReasonOf<typeof machineConditions, 'NodeReady'>>;

/**
 * The machine's Node, as the watch shows it. With the first that is Ready the machine is provisioned, once and for all: a Node that
 * is deleted by hand is registered again by its agent, and nothing is done on the host (I37).
 */
export const nodeReady = phase('NodeReady', async scope => {
  const end = judgeNode(scope);
  if (end.kind === 'passed') scope.samm.status = { ...scope.samm.status, initialization: { provisioned: true } };
  return end;
});

export function judgeNode({ samm, node, twins = [] }: Pick<MachineScope, 'samm' | 'node' | 'twins'>): End {
  const { name } = samm.metadata;
  const wanted = samm.spec.providerID;
  if (!node) return waiting('WaitingForNode', `the agent has not registered the Node ${name}`);
  const found = node.spec?.providerID;
  if (!found) return waiting('WaitingForNode', `the Node ${name} has no providerID yet`);
  if (found !== wanted)
    return waiting('ProviderIDMismatch', `the Node ${name} has the providerID ${found} instead of ${wanted}`);
  if (twins.length > 0) {
    const words = `the providerID ${wanted} is also set on ${twins.join(', ')}; delete the Node that does not run on this host`;
    return waiting('ProviderIDMismatch', words);
  }
  const trouble = troubleOf(node);
  return trouble === undefined ? passed('NodeReady', `the Node ${name} is Ready`) : waiting('NodeNotReady', trouble);
}

/** What keeps the Node from being Ready, in its own words. */
function troubleOf({ metadata, status }: Node): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  const words = [ready?.reason, ready?.message].filter(Boolean).join(': ');
  return `the Node ${metadata.name} is not Ready: ${words || 'no status reported yet'}`;
}
