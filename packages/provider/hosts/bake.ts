import type { GhActionsRunner } from '@minifleet/api';
import { messageOf, type Node } from '@minifleet/kube';
import type { BuilderForge } from '../builders/builder-forge.ts';

interface BuilderHost {
  readonly namespace: string;
  readonly name: string;
  readonly spec: GhActionsRunner | undefined;
  readonly node: Node | undefined;
}

/**
 * Work on a builder that belongs to no Pod: the job of its runner, or a VM that an operator runs. Undefined if there is none. An unknown
 * state counts as work, because an interrupted bake does not resume.
 */
export async function bakeOn(
  { namespace, name, spec, node }: BuilderHost,
  forge: BuilderForge,
): Promise<string | undefined> {
  if (!spec) return undefined;
  try {
    const state = await forge.state(namespace, spec, name);
    return state === 'busy' ? `its runner ${name} is running a job` : foreignVMs(node);
  } catch (error) {
    return `the state of its runner is unknown: ${messageOf(error)}`;
  }
}

/** VMs that the agent reports and does not manage. A silent agent reports the past. */
function foreignVMs(node: Node | undefined): string | undefined {
  const conditions = node?.status?.conditions ?? [];
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const foreign = conditions.find(({ type }) => type === 'ForeignVMs');
  return ready && foreign?.status === 'True' && foreign.reason === 'ForeignVMsRunning' ? foreign.message : undefined;
}
