/** The key every Mac hides the auto-login password with in /etc/kcpassword: no protection, only the format. */
const KEY = Buffer.from('7d895223d2bcddeaa3b91f', 'hex');

/** What the login window writes over a password that turned out wrong (Tahoe; seen on four hosts that looked healthy). */
const SEALED = Buffer.from('<sealed>');

/** Padded with NUL to the next multiple of the key's length, always by at least one, and XORed with the key. */
export function encodePassword(password: string): Buffer {
  const bytes = Buffer.from(password);
  const padded = Buffer.alloc(bytes.length + KEY.length - (bytes.length % KEY.length));
  bytes.copy(padded);
  return xor(padded);
}

/** Up to the first NUL. */
export function decodePassword(content: Uint8Array): string {
  const plain = xor(content);
  const end = plain.indexOf(0);
  return plain.subarray(0, end < 0 ? undefined : end).toString();
}

/** Whether macOS has put its mark in the place of a password. */
export const isSealed = (content: Uint8Array): boolean => xor(content).subarray(0, SEALED.length).equals(SEALED);

const xor = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (KEY[index % KEY.length] ?? 0)));
