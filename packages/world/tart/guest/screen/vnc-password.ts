import { createCipheriv } from 'node:crypto';

/** What a viewer who knows the password sends back: RFC 6143, 7.2.2. */
export function expectedAnswer(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(8);
  key.write(password, 'latin1');
  for (const [at, byte] of key.entries()) key[at] = mirrored(byte);
  // DES three times with one key is DES once, and that alone OpenSSL 3 still has.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false);
  return cipher.update(challenge);
}

/** The first VNC took the bits of each byte from the other end, and all others had to follow. */
const mirrored = (byte: number): number =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2);
