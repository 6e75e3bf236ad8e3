import { fleetKeyFiles, fleetKeyLabels, fleetKeySecret, type MacHost } from '@minifleet/api';
import { openSshKey, SEED_BYTES } from '@minifleet/host';
import { type Client, type KubeSecret, keyString, type ObjectKey } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { FleetSshKey } from './credentials.ts';
import { editSecret, encoded, type SecretContent, textIn, withApiErrorAs } from './edit-secret.ts';
import { CREDENTIALS_KEY_INCOMPLETE, CREDENTIALS_SECRET_UNAVAILABLE } from './errors.ts';

const { private: PRIVATE, public: PUBLIC } = fleetKeyFiles;

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
export async function keptKey(
  { client, random }: Pick<KeyMaker, 'client' | 'random'>,
  called: KeyNames,
): Promise<KeptKey> {
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
    // No machine owns the Secret, so that it outlives all machines.
    metadata: { labels: fleetKeyLabels(fleet) },
    data: encoded({ [PRIVATE]: privateKey, [PUBLIC]: `${publicKey}\n` }),
  };
}

export interface KeyNames {
  /** Namespace of the Secret: that of the machine. */
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secret: string;
  /** Name at the vendor, and comment of the key. */
  readonly vendor: string;
  readonly fleet: string | undefined;
}

/**
 * Names of the SSH key of a held host. Machines of one fleet share a key; a machine without a fleet has its own. At the vendor, a key is
 * replaced by the next key with its name. So the name contains the cluster id, otherwise equal fleet names in two clusters would replace each other's key.
 */
export function keyNames({ spec }: Pick<MacHost, 'spec'>, clusterId: string): KeyNames {
  const { namespace = '', name: machine = '' } = spec.consumerRef ?? {};
  const fleet = spec.desired?.fleet || undefined;
  const name = fleet ?? `${namespace}-${machine}`;
  return { namespace, secret: fleetKeySecret(name), vendor: `tuist-capi-${name}-${clusterId.slice(0, 8)}`, fleet };
}
