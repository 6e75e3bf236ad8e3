import { createHash } from 'node:crypto';

export interface SshKey {
  readonly id: string;
  /** Not unique: two keys may share it, with different material (incident of 2026-04-29, facts §17). */
  readonly name: string;
  /** Type and blob: the API drops the comment (recorded 2025-11-17). */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly disabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const TYPES = /^(ssh-rsa|ssh-dss|ssh-ed25519|ecdsa-sha2-nistp(256|384|521))$/;

/** Type and blob of a public key line; undefined when it is not one. */
export function publicKeyOf(line: string): { type: string; blob: string } | undefined {
  const [type = '', blob = ''] = line.trim().split(/\s+/);
  if (!TYPES.test(type) || !/^[A-Za-z0-9+/]+=*$/.test(blob)) return undefined;
  // The blob names its own type first: what is cut off or mixed up is refused.
  const bytes = Buffer.from(blob, 'base64');
  const length = bytes.length > 4 ? bytes.readUInt32BE(0) : 0;
  return bytes.toString('latin1', 4, 4 + length) === type ? { type, blob } : undefined;
}

/** `256 MD5:6b:cd:… (ssh-ed25519)`, as recorded. The size is exact for Ed25519 and ECDSA only. */
export function fingerprintOf({ type, blob }: { readonly type: string; readonly blob: string }): string {
  const digest = createHash('md5').update(Buffer.from(blob, 'base64')).digest('hex');
  return `${bits(type)} MD5:${digest.match(/../g)?.join(':') ?? ''} (${type})`;
}

const bits = (type: string): number => Number(/nistp(\d+)/.exec(type)?.[1] ?? (type === 'ssh-ed25519' ? 256 : 2048));
