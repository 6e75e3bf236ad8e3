import { messageOf, type Node } from '@minifleet/kube';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';

/**
 * In words what a builder is at: the job of its runner, or a VM that somebody runs there by hand. Both belong to no Pod, and nothing
 * brings back what is interrupted. Undefined when it is at nothing; what cannot be found out counts.
 */
export async function bakeOnHost(
  { samm, node }: Pick<MachineScope, 'samm' | 'node'>,
  { runners }: Pick<MachineParts, 'runners'>,
): Promise<string | undefined> {
  const { ghActionsRunner } = samm.spec;
  if (!ghActionsRunner) return undefined;
  if (!runners) return 'the state of its runner is unknown: GitHub is not configured in this provider';
  const { name, namespace = '' } = samm.metadata;
  try {
    const state = await runners.state(namespace, ghActionsRunner, name);
    return state === 'busy' ? `its runner ${name} is running a job` : runningByHand(node);
  } catch (error) {
    return `the state of its runner is unknown: ${messageOf(error)}`;
  }
}

/** As its agent tells; one that is silent tells of the past. */
function runningByHand(node: Node | undefined): string | undefined {
  const conditions = node?.status?.conditions ?? [];
  const heard = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const foreign = conditions.find(({ type }) => type === 'ForeignVMs');
  return heard && foreign?.status === 'True' && foreign.reason === 'ForeignVMsRunning' ? foreign.message : undefined;
}
