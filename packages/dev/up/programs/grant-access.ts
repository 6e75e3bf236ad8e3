import { fileURLToPath } from 'node:url';
import type { Kubectl } from '../home/kubectl.ts';

export const RULES = fileURLToPath(new URL('../../../../config/rbac', import.meta.url));
export const SYSTEM = 'minifleet-system';
/** Where the example's fleets are. */
const FLEETS = 'default';

/** Tokens to be our programs with. */
export interface Tokens {
  readonly provider: string;
  readonly runners: string;
}

/** Gives our programs the rights they ship with, and no others. */
export async function grantAccess(kubectl: Kubectl): Promise<Tokens> {
  await kubectl('create', 'namespace', SYSTEM);
  await kubectl('apply', '-f', RULES);
  const binding = ['create', 'rolebinding', 'minifleet-fleet-credentials', '-n', FLEETS];
  await kubectl(
    ...binding,
    '--clusterrole=minifleet-fleet-credentials',
    `--serviceaccount=${SYSTEM}:minifleet-provider`,
  );
  const tokenOf = async (account: string): Promise<string> =>
    (await kubectl('create', 'token', account, '-n', SYSTEM, '--duration=24h')).trim();
  const [provider, runners] = await Promise.all([tokenOf('minifleet-provider'), tokenOf('minifleet-runners')]);
  return { provider, runners };
}
