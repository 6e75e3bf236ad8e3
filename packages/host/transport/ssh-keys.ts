import { createHash } from 'node:crypto';
import type { Secret } from '@minifleet/secret';
import ssh2 from 'ssh2';
import { HOST_PIN_UNREADABLE, HOST_PRIVATE_KEY_UNUSABLE } from '../errors.ts';

/**
 * Host key that is accepted: the pinned one or, explicitly, the first one shown. A host has several keys; ed25519 is
 * requested first, so that is the one to pin. A pin of another key of the host is found, too.
 */
export type HostKeyPolicy = { readonly pinned: string } | { readonly firstContact: 'accept' };

/** Host key for the life of a transport: once known it does not change. */
export interface HostKeyPin {
  /** Required key: pinned by the caller or proven before. */
  readonly expected: string | undefined;
  /** Key that the host has proven to own; undefined before the first contact. */
  readonly proven: string | undefined;
  /** True if a connection with this key may continue. */
  admits(fingerprint: string): boolean;
  /** Records that the host has proven to own the key. */
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

/** Fingerprint in the format of `ssh-keygen -l`. */
export const sshFingerprint = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

function readPin(pinned: string, address: string): string {
  const text = pinned.trim().replace(/=+$/, '');
  if (!/^SHA256:[\w+/]{43}$/.test(text)) throw HOST_PIN_UNREADABLE({ address, pinned });
  return text;
}

/** Returns a key that can log in; anything else is a catalogued error before any connection. */
export function usablePrivateKey(secret: Secret): Buffer {
  const text = secret.reveal();
  const why = keyProblem(text);
  if (why !== undefined) throw HOST_PRIVATE_KEY_UNUSABLE({ key: secret.name, why });
  return text;
}

function keyProblem(text: Buffer): string | undefined {
  const head = text.toString('latin1').trim();
  if (head === '') return 'it is empty';
  // ssh2 has no message for these two; the second is the output of `openssl genpkey`.
  if (/^(ssh|ecdsa|sk)-\S+ /.test(head)) return 'it is a public key';
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(head)) return 'it is encrypted with a passphrase';
  if (/^-----BEGIN PRIVATE KEY-----/.test(head)) return 'it is in PKCS#8 format';
  const [parsed] = [ssh2.utils.parseKey(text)].flat();
  if (parsed instanceof Error) return describeParseError(parsed.message);
  return parsed?.isPrivateKey() ? undefined : 'it contains no private key';
}

/** Fixed texts only: a parser message about a secret is not shown. */
function describeParseError(complaint: string): string {
  if (/encrypted|passphrase/i.test(complaint)) return 'it is encrypted with a passphrase';
  if (/Unsupported key format/.test(complaint)) return 'its format is unknown';
  return 'it is damaged';
}
