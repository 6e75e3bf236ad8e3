import { type Pod, pods } from '@minifleet/kube';
import type { MachineParts } from '../machines/parts.ts';
import type { MachineScope } from '../machines/scope.ts';

/** Pods of the host's Node that have not ended: a change could disturb them. */
export async function guestsOnHost({ samm }: MachineScope, { client }: MachineParts): Promise<number> {
  const { items } = await client.list(pods, { fieldSelector: `spec.nodeName=${samm.metadata.name}` });
  return items.filter(runs).length;
}

const runs = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
