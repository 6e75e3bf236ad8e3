import { Errors } from '@scaleway/sdk-client';
import { VENDOR_REJECTED } from '../errors.ts';
import { planKey } from '../plan-key.ts';
import type { FleetKey, RegisteredKey } from '../vendor.ts';
import { allPages } from './all-pages.ts';
import type { ScalewayRequestContext } from './api.ts';
import { SCALEWAY } from './judge-failure.ts';

/**
 * Lists the keys, creates the key if necessary, and only then deletes stale keys: a host that is installed in between gets both keys
 * instead of none.
 */
export async function registerKey(
  { name, request, sdk, projectId }: ScalewayRequestContext,
  key: FleetKey,
): Promise<RegisteredKey> {
  const keys = await allPages(name, async page => {
    const { sshKeys, totalCount } = await request(signal => sdk(signal).iam.listSSHKeys({ projectId, ...page }));
    return { items: sshKeys, totalCount };
  });
  const { present, stale, outcome } = planKey(key, keys);
  if (present?.disabled) {
    const why = `SSH key ${present.name} is the same key and is disabled; enable or delete it in the vendor console`;
    throw VENDOR_REJECTED({ vendor: SCALEWAY, call: name, why });
  }
  // Not retried, because a retry could create a second key. The next call finds the first one.
  const { id } =
    present ?? (await request(signal => sdk(signal).iam.createSSHKey({ projectId, ...key }), { repeatable: false }));
  for (const { id: sshKeyId } of stale) {
    await request(signal => sdk(signal).iam.deleteSSHKey({ sshKeyId }).catch(unlessGone));
  }
  return { id, outcome };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Errors.ResourceNotFoundError)) throw error;
}
