import { fileURLToPath } from 'node:url';
import type { Kubectl } from '../../kubectl.ts';

export const RULES = fileURLToPath(new URL('../../../../config/rbac', import.meta.url));
export const SYSTEM = 'minifleet-system';
const FLEET_NAMESPACE = 'default';

/** Tokens of the ServiceAccounts of Minifleet's programs. */
export interface ServiceAccountTokens {
  readonly provider: string;
  readonly runners: string;
}

/** Grants the programs exactly the permissions that they ship with. */
export async function grantAccess(kubectl: Kubectl): Promise<ServiceAccountTokens> {
  await kubectl('create', 'namespace', SYSTEM);
  await kubectl('apply', '-f', RULES);
  const binding = ['create', 'rolebinding', 'minifleet-fleet-credentials', '-n', FLEET_NAMESPACE];
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
