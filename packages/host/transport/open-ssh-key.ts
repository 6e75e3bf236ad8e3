import { createPrivateKey, createPublicKey } from 'node:crypto';

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
