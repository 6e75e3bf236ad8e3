import { createCipheriv } from 'node:crypto';

/** VNC's answer to a challenge of 16 bytes: DES with the first eight characters of the password (RFC 6143, 7.2.2). */
export function answerChallenge(password: string, challenge: Buffer): Buffer {
  const key = keyOf(password);
  // OpenSSL 3 has no DES but in its legacy provider; three times DES, the middle one backwards, with the same key is DES.
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

const KEY_BYTES = 8;

function keyOf(password: string): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  key.write(password, 'latin1');
  return key.map(reversed) as Buffer;
}

/** DES counts the bits of a byte from its other end than VNC does. */
function reversed(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) result |= ((byte >> bit) & 1) << (7 - bit);
  return result;
}
