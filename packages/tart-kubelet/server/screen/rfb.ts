import { createCipheriv } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Reads exactly this many bytes; the following ones stay in the stream for the next reader. */
export async function readBytes(stream: Readable, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = stream.read(count) as Buffer | null;
    if (bytes?.length === count) return bytes;
    // At the end of a stream, `read` returns what is left, even if it is less.
    if (bytes || stream.readableEnded || stream.destroyed) throw stream.errored ?? new Error('the connection ended');
    await change(stream);
  }
}

const CHANGES = ['readable', 'end', 'close', 'error'] as const;

function change(stream: Readable): Promise<void> {
  return new Promise(resolve => {
    const changed = (): void => {
      for (const name of CHANGES) stream.off(name, changed);
      resolve();
    };
    for (const name of CHANGES) stream.on(name, changed);
  });
}

/** Constants and helpers of the RFB handshake (RFC 6143, 7.1). */

/** The three protocol versions that differ: 3.3, 3.7, 3.8. */
export type RfbVersion = 3 | 7 | 8;

export const VERSION_BYTES = 12;
export const CHALLENGE_BYTES = 16;

/** Security types. */
export const NONE = 1;
export const VNC_PASSWORD = 2;

/** Newest version that both sides support. Apple's 3.889 is a superset of 3.8; 3.4 to 3.6 do not exist and mean 3.3. */
export function rfbVersionOf(line: Buffer): RfbVersion | undefined {
  const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(line.toString('latin1')) ?? [];
  if (Number(major) > 3) return 8;
  if (major !== '003' || Number(minor) < 3) return undefined;
  return Number(minor) >= 8 ? 8 : Number(minor) === 7 ? 7 : 3;
}

export const versionLine = (version: RfbVersion): string => `RFB 003.00${version}\n`;

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Response to a VNC challenge of 16 bytes: DES with the first eight characters of the password (RFC 6143, 7.2.2). */
export function answerChallenge(password: string, challenge: Buffer): Buffer {
  const key = keyOf(password);
  // OpenSSL 3 has DES only in its legacy provider; triple DES with three equal keys is equivalent.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

const KEY_BYTES = 8;

function keyOf(password: string): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.write(password, 'latin1');
  return key.map(reversed) as Buffer;
}

/** DES numbers the bits of a byte in the opposite order to VNC. */
function reversed(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) result |= ((byte >> bit) & 1) << (7 - bit);
  return result;
}
