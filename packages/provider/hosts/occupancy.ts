import type { GhActionsRunner } from '@minifleet/api';
import type { Disturbance } from '@minifleet/host';
import { type Client, messageOf, type Node, type Pod, pods } from '@minifleet/kube';
import type { BuilderForge } from '../builders/builder-forge.ts';

/** VMs on a host, and whether new ones can start. */
export interface Occupancy {
  readonly serves: boolean;
  /** VMs, as far as the cluster knows; a bake counts as one. */
  readonly guests: number;
  /** The Node is not cordoned, or the host is a builder, whose runner takes its next job at any time. */
  readonly takesGuests: boolean;
}

export const isIdle = ({ guests, takesGuests }: Occupancy): boolean => guests === 0 && !takesGuests;

/**
 * Maximum disturbance of a job. An empty Node may get a VM a second later, so no job stops VMs on a host that takes new ones; each step
 * checks for itself whether a VM runs.
 */
export const disturbanceFor = (
  occupancy: Occupancy,
): { readonly allow: Disturbance; readonly reboot: 'never' | 'when needed' } =>
  !occupancy.serves || isIdle(occupancy)
    ? { allow: 'running VMs', reboot: 'when needed' }
    : { allow: 'new VMs', reboot: 'never' };

/** Number of Pods on the Node that have not ended. */
export async function guestsOn(client: Client, nodeName: string): Promise<number> {
  const { items } = await client.list(pods, { fieldSelector: `spec.nodeName=${nodeName}` });
  return items.filter(isRunning).length;
}

const isRunning = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

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
