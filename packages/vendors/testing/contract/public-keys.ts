/** Well-formed public keys without a known private key. */
const publicKey = (filler: number): string => {
  const type = Buffer.from('ssh-ed25519');
  const blob = Buffer.concat([Buffer.of(0, 0, 0, type.length), type, Buffer.of(0, 0, 0, 32), Buffer.alloc(32, filler)]);
  return `ssh-ed25519 ${blob.toString('base64')}`;
};

export const FIRST_KEY = publicKey(1);
export const SECOND_KEY = publicKey(2);
