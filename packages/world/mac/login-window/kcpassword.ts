/** The key every Mac uses to obfuscate the auto-login password in /etc/kcpassword (facts §3.3). */
const KEY = Buffer.from('7d895223d2bcddeaa3b91f', 'hex');

/** Text the login window writes over a wrong password (S0). */
export const SEALED = '<sealed>';

/** Pads with NUL to the next multiple of the key's length, always by at least one byte, and XORs with the key. */
export function encodePassword(password: string): Buffer {
  const bytes = Buffer.from(password);
  const padded = Buffer.alloc(bytes.length + KEY.length - (bytes.length % KEY.length));
  bytes.copy(padded);
  return xor(padded);
}

/** Decodes up to the first NUL. */
export function decodePassword(content: Buffer): string {
  const plain = xor(content);
  const end = plain.indexOf(0);
  return plain.subarray(0, end < 0 ? undefined : end).toString();
}

const xor = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte, index) => byte ^ (KEY[index % KEY.length] ?? 0)));
