import { randomBytes } from 'node:crypto';
import { fleetKeyFiles, fleetKeyLabels, fleetKeySecret } from '@minifleet/api';
import { defineError } from '@minifleet/errors';
import { openSshKey, SEED_BYTES } from '@minifleet/host';
import { type Client, isAlreadyExists, type KubeSecret, secrets } from '@minifleet/kube/client';

export const FLEET_KEY_INCOMPLETE = defineError('FLEET_KEY_INCOMPLETE', {
  retry: 'operator',
  reason: 'FleetKeyIncomplete',
  text: 'Secret {secret}: it has no {missing}; add the key, or delete the Secret so that a new key of fleet {fleet} is created (Macs that accept only the old key must then be prepared again)',
});

/** Fleet in its namespace. */
export interface FleetName {
  readonly namespace: string;
  readonly fleet: string;
}

/**
 * Returns the public SSH key of a fleet, and creates the key if the provider has not: a Mac must accept it before the first machine claims
 * the Mac. The private key stays in the cluster. If two processes create it, the API server accepts one.
 */
export async function fleetPublicKey(client: Client, { namespace, fleet }: FleetName): Promise<string> {
  const key = { namespace, name: fleetKeySecret(fleet) };
  const found = (await client.find(secrets, key)) ?? (await createKey(client, { namespace, fleet }));
  const missing = [fleetKeyFiles.private, fleetKeyFiles.public].find(file => !found.data?.[file]);
  if (missing) throw FLEET_KEY_INCOMPLETE({ secret: `${namespace}/${key.name}`, missing, fleet });
  return Buffer.from(found.data?.[fleetKeyFiles.public] ?? '', 'base64')
    .toString('utf8')
    .trim();
}

async function createKey(client: Client, { namespace, fleet }: FleetName): Promise<KubeSecret> {
  const name = fleetKeySecret(fleet);
  const { privateKey, publicKey } = openSshKey(randomBytes(SEED_BYTES), `minifleet ${fleet}`);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { [fleetKeyFiles.private]: base64(privateKey), [fleetKeyFiles.public]: base64(`${publicKey}\n`) };
  try {
    return await client.create(secrets, { metadata: { namespace, name, labels: fleetKeyLabels(fleet) }, data });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(secrets, { namespace, name });
  }
}
