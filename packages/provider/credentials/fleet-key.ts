import { createPrivateKey, createPublicKey } from 'node:crypto';
import { fleetKeyFiles, fleetKeySecret, type MacHost, names } from '@minifleet/api';
import { type Client, type KubeSecret, keyString, type ObjectKey } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { FleetSshKey } from './credentials.ts';
import { editSecret, encoded, MANAGED_BY, type SecretContent, textIn, withApiErrorAs } from './edit-secret.ts';
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

interface KeyNames {
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

interface OpenSshKey {
  /** In OpenSSH format, the only one that all SSH clients read. */
  readonly privateKey: string;
  /** `ssh-ed25519 AAAA… <comment>`. */
  readonly publicKey: string;
}

/** RFC 8410: prefix of the 32 bytes of an ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
export const SEED_BYTES = 32;
const BLOCK = 8;

/** Creates an ed25519 key pair from its seed (openssh/PROTOCOL.key). node:crypto computes the public key, but cannot write this format. */
export function openSshKey(seed: Uint8Array, comment: string): OpenSshKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const point = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
  const publicBlob = Buffer.concat([text('ssh-ed25519'), text(point)]);
  // Two equal numbers prove a successful decryption; nothing is encrypted here, so any value works.
  const check = Buffer.alloc(BLOCK);
  const secret = Buffer.concat([check, publicBlob, text(Buffer.concat([seed, point])), text(comment)]);
  const padding = Buffer.from(Array.from({ length: -secret.length & (BLOCK - 1) }, (_, index) => index + 1));
  const blob = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(text),
    Buffer.from([0, 0, 0, 1]),
    text(publicBlob),
    text(Buffer.concat([secret, padding])),
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return {
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `ssh-ed25519 ${publicBlob.toString('base64')} ${comment}`,
  };
}

/** String in the SSH wire format: length and bytes. */
function text(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
