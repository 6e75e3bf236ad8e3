import type { Stage } from '../stage.ts';
import { asUser, TART } from './as-user.ts';

/** Names of the VMs that Tart has on the host, running or not; with `running` of those alone. */
export async function vmsOn(stage: Stage, which: 'all' | 'running' = 'all'): Promise<readonly string[]> {
  const { out } = await asUser(stage, `${TART} list --source local --format json`);
  const vms = JSON.parse(out || '[]') as readonly { readonly Name: string; readonly State: string }[];
  return vms.filter(({ State }) => which === 'all' || State === 'running').map(({ Name }) => Name);
}
