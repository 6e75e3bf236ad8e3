import { STATE_FOLDER } from '../../engine/lease.ts';
import type { Host, HostView } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';
import { requireUserName, sudoersPath } from '../sudo/sudo.ts';

/**
 * Removes the access of Minifleet, after `releasePlan`: auto-login, the keys of fleets, the sudo rule. Not a step, because the
 * engine needs sudo and its ledger to inspect the result.
 */
export async function removeAccess(host: Host): Promise<void> {
  requireUserName(host.user);
  const ran = await host.script('remove-access', [host.user, STATE_FOLDER]);
  if (ran.exitCode !== 0) throw scriptFailure(host, { command: 'remove-access', path: STATE_FOLDER }, ran);
}

/** False if the sudo rule, which is removed last, is gone. */
export const hasAccess = async (host: HostView): Promise<boolean> =>
  (await host.query(['/bin/test', '-e', sudoersPath(host.user)])).exitCode === 0;
