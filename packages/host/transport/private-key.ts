import type { Secret } from '@minifleet/secret';
import ssh2 from 'ssh2';
import { HOST_PRIVATE_KEY_UNUSABLE } from './errors.ts';

/** The text of a key that can log in; anything else is a named error before any dial. */
export function usablePrivateKey(secret: Secret): Buffer {
  const text = secret.reveal();
  const why = whyUnusable(text);
  if (why !== undefined) throw HOST_PRIVATE_KEY_UNUSABLE({ key: secret.name, why });
  return text;
}

function whyUnusable(text: Buffer): string | undefined {
  const head = text.toString('latin1').trim();
  if (head === '') return 'it is empty';
  // ssh2 has no words for these two; the second is what `openssl genpkey` writes.
  if (/^(ssh|ecdsa|sk)-\S+ /.test(head)) return 'it is a public key';
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(head)) return 'it is encrypted with a passphrase';
  if (/^-----BEGIN PRIVATE KEY-----/.test(head)) return 'it is in PKCS#8 format';
  const [parsed] = [ssh2.utils.parseKey(text)].flat();
  if (parsed instanceof Error) return wordsFor(parsed.message);
  return parsed?.isPrivateKey() ? undefined : 'it holds no private key';
}

/** Our own words only: what a parser says about a secret is not shown. */
function wordsFor(complaint: string): string {
  if (/encrypted|passphrase/i.test(complaint)) return 'it is encrypted with a passphrase';
  if (/Unsupported key format/.test(complaint)) return 'it is in no known format';
  return 'it is damaged';
}
