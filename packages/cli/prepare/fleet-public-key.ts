import { fleetKeyFiles, fleetKeySecret } from '@minifleet/api';
import { defineError } from '@minifleet/errors';
import { secrets } from '@minifleet/kube/client';
import type { ClusterRequest } from '../cluster/cluster-options.ts';
import { withCluster } from '../cluster/with-cluster.ts';
import type { CliContext } from '../context.ts';

export const FLEET_KEY_MISSING = defineError('FLEET_KEY_MISSING', {
  retry: 'operator',
  reason: 'FleetKeyMissing',
  text: 'Secret {secret}: {what}; the provider creates it when a machine of fleet {fleet} claims a host. Create the fleet and its MacHosts first, or the Secret itself (docs/owned-macs.md)',
});

/** Reads the public SSH key of a fleet. The private key stays in the cluster. */
export function fleetPublicKey(
  fleet: string,
  request: ClusterRequest & { readonly namespace?: string },
  context: CliContext,
): Promise<string> {
  const { namespace = 'default' } = request;
  const name = fleetKeySecret(fleet);
  return withCluster(request, context, async client => {
    const found = await client.find(secrets, { namespace, name });
    const encoded = found?.data?.[fleetKeyFiles.public];
    const about = { secret: `${namespace}/${name}`, fleet };
    if (!found) throw FLEET_KEY_MISSING({ ...about, what: 'not found' });
    if (!encoded) throw FLEET_KEY_MISSING({ ...about, what: `it has no ${fleetKeyFiles.public}` });
    return Buffer.from(encoded, 'base64').toString('utf8').trim();
  });
}
