import { createPublicKey, type webcrypto } from 'node:crypto';

/** Derives the `authorized_keys` line from a private key in OpenSSH or PEM format. */
export function publicKeyOf(privateKey: Buffer): string {
  const text = privateKey.toString('latin1');
  const blob = text.includes('BEGIN OPENSSH PRIVATE KEY') ? fromOpenSsh(text) : fromPem(text);
  return `${readString(blob, 0).toString()} ${blob.toString('base64')}`;
}

const MAGIC = 'openssh-key-v1\0';

/** Reads the unencrypted public key, which follows the cipher name, the KDF name, the KDF options and a count. */
function fromOpenSsh(text: string): Buffer {
  const body = Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  if (body.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) throw new Error('not an OpenSSH private key');
  let offset = MAGIC.length;
  for (let skipped = 0; skipped < 3; skipped++) offset += 4 + readString(body, offset).length;
  return readString(body, offset + 4);
}

function fromPem(text: string): Buffer {
  const key = createPublicKey(text).export({ format: 'jwk' });
  return Buffer.concat(fieldsOf(key).map(sshString));
}

const CURVES: Readonly<Record<string, string>> = { 'P-256': 'nistp256', 'P-384': 'nistp384', 'P-521': 'nistp521' };

/** RFC 4253 §6.6, RFC 5656 §3.1, RFC 8709 §4. */
function fieldsOf({ kty, crv = '', x = '', y = '', n = '', e = '' }: webcrypto.JsonWebKey): Buffer[] {
  const bytes = (value: string): Buffer => Buffer.from(value, 'base64url');
  const curve = CURVES[crv];
  if (kty === 'RSA') return [Buffer.from('ssh-rsa'), positive(bytes(e)), positive(bytes(n))];
  if (crv === 'Ed25519') return [Buffer.from('ssh-ed25519'), bytes(x)];
  if (curve === undefined) throw new Error(`SSH does not support ${crv || kty} keys`);
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
  return [Buffer.from(`ecdsa-sha2-${curve}`), Buffer.from(curve), point];
}

/** Prefixes a zero byte if the highest bit is set, because the number would be negative. */
const positive = (number: Buffer): Buffer =>
  (number[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), number]) : number;

function sshString(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

const readString = (from: Buffer, offset: number): Buffer =>
  from.subarray(offset + 4, offset + 4 + from.readUInt32BE(offset));
