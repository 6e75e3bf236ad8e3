import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Chance } from '../../chance.ts';
import { type Mac, root } from '../mac.ts';

const PRIVATE = '/etc/ssh/ssh_host_ed25519_key';

/** DER prefix of the 32 bytes of an ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const streams = new WeakMap<Chance, Chance>();

/**
 * One random stream for all host keys of a world: a reinstalled Mac draws the next key, and other random numbers do not
 * change.
 */
function keysOf(chance: Chance): Chance {
  const stream = streams.get(chance) ?? chance.stream('host keys');
  streams.set(chance, stream);
  return stream;
}

/** Returns the host key in OpenSSH's format and creates it if there is none: a reinstalled Mac gets a new one. */
export function hostKeyOf(mac: Mac): string {
  if (mac.files.exists(root, PRIVATE)) return mac.files.read(root, PRIVATE).toString();
  const seed = Buffer.from(keysOf(mac.around.chance).hex(64), 'hex');
  const key = openSshKey(seed);
  mac.files.write(root, PRIVATE, key.private, { mode: 0o600 });
  mac.files.write(root, `${PRIVATE}.pub`, `${key.public}\n`);
  return key.private;
}

/**
 * Returns an ed25519 key pair from its seed. Encoded here because ssh2's own generator makes one bad key in 256 (facts
 * ts-stack 0.5).
 */
export function openSshKey(seed: Buffer): { readonly private: string; readonly public: string } {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const point = Buffer.from(x, 'base64url');
  const publicBlob = Buffer.concat([text('ssh-ed25519'), text(point)]);
  const check = seed.subarray(0, 4);
  const secret = Buffer.concat([check, check, publicBlob, text(Buffer.concat([seed, point])), text('')]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const blob = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    text('none'),
    text('none'),
    text(''),
    Buffer.from([0, 0, 0, 1]),
    text(publicBlob),
    text(Buffer.concat([secret, padding])),
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return {
    private: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    public: `ssh-ed25519 ${publicBlob.toString('base64')}`,
  };
}

/** A string of the SSH protocol: its length and its bytes. */
function text(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
