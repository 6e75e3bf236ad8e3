import { createHash } from 'node:crypto';
import { HOST_PIN_UNREADABLE } from './errors.ts';

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
export const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

function readPin(pinned: string, address: string): string {
  const text = pinned.trim().replace(/=+$/, '');
  if (!/^SHA256:[\w+/]{43}$/.test(text)) throw HOST_PIN_UNREADABLE({ address, pinned });
  return text;
}
