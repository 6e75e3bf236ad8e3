import { type Pod, pods } from '@minifleet/kube';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';

/**
 * Guests that a change could disturb: Pods of the Node that have not ended, and on a builder the job its runner is at,
 * whose VMs belong to no Pod. What cannot be found out counts as one.
 */
export async function guestsOnHost({ samm }: MachineScope, { client, runners }: MachineParts): Promise<number> {
  const { namespace = '', name } = samm.metadata;
  const { ghActionsRunner } = samm.spec;
  const [{ items }, runner] = await Promise.all([
    client.list(pods, { fieldSelector: `spec.nodeName=${name}` }),
    ghActionsRunner ? (runners?.state(namespace, ghActionsRunner, name).catch(() => 'busy') ?? 'busy') : 'absent',
  ]);
  return items.filter(runs).length + (runner === 'busy' ? 1 : 0);
}

const runs = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
