import { type HostClaim, hostClaim } from '@minifleet/api';
import { type Client, isNotFound, retryOnConflict } from '@minifleet/kube';

export const hostClaims = hostClaim.resource;

/** Undefined also for no name at all: asked of the server, that would be the list. */
export const readClaim = async (client: Client, name: string): Promise<HostClaim | undefined> =>
  name === '' ? undefined : client.find(hostClaims, { name });

/**
 * Changes a claim only as it is now: `edit` sees it read afresh, and again when somebody wrote meanwhile; undefined leaves it alone.
 * Gives the claim as written, or undefined when it is gone or was left alone.
 */
export function editClaim(
  client: Client,
  name: string,
  edit: (claim: HostClaim) => HostClaim | undefined,
  part: 'spec' | 'status' = 'spec',
): Promise<HostClaim | undefined> {
  return retryOnConflict(async () => {
    const claim = await readClaim(client, name);
    const wanted = claim && edit(claim);
    if (!wanted) return undefined;
    try {
      return await client.update(hostClaims, wanted, part === 'status' ? { subresource: 'status' } : {});
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  });
}

export type ClaimStatus = NonNullable<HostClaim['status']>;

/** Nothing is sent when the status would stay as it is. */
export const editStatus = (
  client: Client,
  name: string,
  edit: (status: ClaimStatus, claim: HostClaim) => ClaimStatus | undefined,
): Promise<HostClaim | undefined> =>
  editClaim(
    client,
    name,
    claim => {
      const status = edit(claim.status ?? {}, claim);
      return status && { ...claim, status };
    },
    'status',
  );
