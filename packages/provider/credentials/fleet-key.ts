import { type MacHost, names } from '@minifleet/api';
import { type Client, type KubeSecret, keyString, type ObjectKey } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { FleetSshKey } from './credentials.ts';
import { editSecret, encoded, type SecretContent, textIn } from './edit-secret.ts';
import { CREDENTIALS_KEY_INCOMPLETE, CREDENTIALS_SECRET_UNAVAILABLE } from './errors.ts';
import { type KeyNames, keyNames } from './key-names.ts';
import { MANAGED_BY } from './managed-by.ts';
import { openSshKey, SEED_BYTES } from './open-ssh-key.ts';
import { withApiErrorAs } from './with-api-error-as.ts';

const PRIVATE = 'id_ed25519';
const PUBLIC = 'id_ed25519.pub';

export interface KeptKey {
  readonly key: FleetSshKey;
  readonly secret: KubeSecret;
}

export interface KeyMaker {
  readonly client: Client;
  /** Distinguishes clusters that share a vendor account. */
  readonly clusterId: string;
  readonly random: (bytes: number) => Uint8Array;
}

/** Returns the stored fleet key, and creates it if there is none. If two processes create it, the API server accepts one. */
export async function keptKey({ client, clusterId, random }: KeyMaker, host: MacHost): Promise<KeptKey> {
  const called = keyNames(host, clusterId);
  const at: Required<ObjectKey> = { namespace: called.namespace, name: called.secret };
  const name = keyString(at);
  const secret = await withApiErrorAs(CREDENTIALS_SECRET_UNAVAILABLE, { secret: name }, () =>
    editSecret(client, at, before => (before ? undefined : newKey(called, random))),
  );
  if (!secret) throw CREDENTIALS_KEY_INCOMPLETE({ secret: name, missing: PRIVATE });
  const text = (key: string): string => {
    const found = textIn(secret, key);
    if (!found) throw CREDENTIALS_KEY_INCOMPLETE({ secret: name, missing: key });
    return found;
  };
  const privateKey = new Secret(`the key of ${called.vendor}`, text(PRIVATE));
  return { secret, key: { name: called.vendor, publicKey: text(PUBLIC).trim(), privateKey } };
}

function newKey({ vendor, fleet }: KeyNames, random: KeyMaker['random']): SecretContent {
  const { privateKey, publicKey } = openSshKey(random(SEED_BYTES), vendor);
  return {
    metadata: {
      labels: {
        ...MANAGED_BY,
        // No machine owns the Secret, so that it outlives all machines. The label makes clusterctl move it, because hosts accept no other key.
        [names.clusterApi.moveLabel]: '',
        ...(fleet === undefined ? {} : { [names.labels.fleet]: fleet }),
      },
    },
    data: encoded({ [PRIVATE]: privateKey, [PUBLIC]: `${publicKey}\n` }),
  };
}
