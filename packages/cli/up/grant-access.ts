import { fileURLToPath } from 'node:url';
import type { Kubectl } from './kubectl.ts';

const RULES = fileURLToPath(new URL('../../../config/rbac', import.meta.url));
const SYSTEM = 'minifleet-system';
const ACCOUNT = 'minifleet-provider';
/** Where the example's fleet is. */
const FLEETS = 'default';

/** Gives the provider the rights it ships with, and no others. Returns a token to be it with. */
export async function grantAccess(kubectl: Kubectl): Promise<string> {
  await kubectl('create', 'namespace', SYSTEM);
  await kubectl('apply', '-f', RULES);
  const binding = ['create', 'rolebinding', 'minifleet-fleet-credentials', '-n', FLEETS];
  await kubectl(...binding, '--clusterrole=minifleet-fleet-credentials', `--serviceaccount=${SYSTEM}:${ACCOUNT}`);
  return (await kubectl('create', 'token', ACCOUNT, '-n', SYSTEM, '--duration=24h')).trim();
}
