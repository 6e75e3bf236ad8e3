import { createHash } from 'node:crypto';
import type { Secret } from '@minifleet/secret';
import ssh2 from 'ssh2';
import { HOST_PIN_UNREADABLE, HOST_PRIVATE_KEY_UNUSABLE } from '../errors.ts';

/**
 * Which key the host must show: the pinned one, or, said out loud, whichever it shows first. A host has several; we ask
 * for the ed25519 one where there is one, so that is the one to pin.
 */
export type HostKeyPolicy = { readonly pinned: string } | { readonly firstContact: 'accept' };

/** The key of one host for the life of its transport: once known it does not change. */
export interface HostKeyPin {
  /** The one it must show: pinned from outside, or proven before. */
  readonly expected: string | undefined;
  /** The one it has proven to own; undefined until the first contact. */
  readonly proven: string | undefined;
  /** Whether a connection that shows this key may go on. */
  admits(fingerprint: string): boolean;
  /** The host has proven that it owns the key it showed. */
  prove(fingerprint: string): void;
}

export function createHostKeyPin(policy: HostKeyPolicy, address: string): HostKeyPin {
  let expected = 'pinned' in policy ? readPin(policy.pinned, address) : undefined;
  let proven: string | undefined;
  return {
    get expected() {
      return expected;
    },
    get proven() {
      return proven;
    },
    admits: fingerprint => expected === undefined || fingerprint === expected,
    prove(fingerprint) {
      proven ??= fingerprint;
      expected ??= fingerprint;
    },
  };
}

/** As `ssh-keygen -l` writes it. */
export const sshFingerprint = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

function readPin(pinned: string, address: string): string {
  const text = pinned.trim().replace(/=+$/, '');
  if (!/^SHA256:[\w+/]{43}$/.test(text)) throw HOST_PIN_UNREADABLE({ address, pinned });
  return text;
}

/** The text of a key that can log in; anything else is a named error before any dial. */
export function usablePrivateKey(secret: Secret): Buffer {
  const text = secret.reveal();
  const why = keyProblem(text);
  if (why !== undefined) throw HOST_PRIVATE_KEY_UNUSABLE({ key: secret.name, why });
  return text;
}

function keyProblem(text: Buffer): string | undefined {
  const head = text.toString('latin1').trim();
  if (head === '') return 'it is empty';
  // ssh2 has no words for these two; the second is what `openssl genpkey` writes.
  if (/^(ssh|ecdsa|sk)-\S+ /.test(head)) return 'it is a public key';
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(head)) return 'it is encrypted with a passphrase';
  if (/^-----BEGIN PRIVATE KEY-----/.test(head)) return 'it is in PKCS#8 format';
  const [parsed] = [ssh2.utils.parseKey(text)].flat();
  if (parsed instanceof Error) return describeParseError(parsed.message);
  return parsed?.isPrivateKey() ? undefined : 'it contains no private key';
}

/** Our own words only: what a parser says about a secret is not shown. */
function describeParseError(complaint: string): string {
  if (/encrypted|passphrase/i.test(complaint)) return 'it is encrypted with a passphrase';
  if (/Unsupported key format/.test(complaint)) return 'its format is unknown';
  return 'it is damaged';
}
