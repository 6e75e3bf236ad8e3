import { createHash } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';
import type { HostAccess } from './credentials.ts';

/** What is known of a host; it lies in its machine's Secret. */
export interface HostCredentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly hostKey?: string | undefined;
  /** SHA-256 of the password the host refused: another one, whoever wrote it, counts as untried. */
  readonly rejected?: string | undefined;
}

/** What the vendor shows in place of a password that it no longer tells. */
const SEALED = '<sealed>';

/**
 * Adds what the vendor shows. What is there stays, for a person may have written it; only a password that the host refused gives
 * way to another one of the vendor's. So none is tried twice, and at most two are tried at all (I34).
 */
export function mergeFromVendor(known: HostCredentials, server: Pick<Server, 'user' | 'password'>): HostCredentials {
  const shown = usable(server.password?.reveal().toString('utf8'));
  const own = usable(known.password);
  const password = own === undefined || isRejected(known) ? (shown ?? own) : own;
  return { ...known, user: known.user || server.user, password };
}

export function accessFrom(known: HostCredentials, host: string): HostAccess {
  const { user = '', password, hostKey } = known;
  return {
    user,
    passwordRejected: isRejected(known),
    ...(password === undefined ? {} : { password: new Secret(`the password of ${host}`, password) }),
    ...(hostKey ? { hostKey } : {}),
  };
}

export const withRejected = (known: HostCredentials, tried: string): HostCredentials => ({
  ...known,
  rejected: digest(tried),
});

const isRejected = ({ password, rejected }: HostCredentials): boolean => {
  const own = usable(password);
  return own !== undefined && digest(own) === rejected;
};

/** An editor leaves a line break at the end, and no password has one. */
function usable(password: string | undefined): string | undefined {
  const text = password?.replace(/\r?\n$/, '');
  return text === '' || text === SEALED ? undefined : text;
}

const digest = (password: string): string => createHash('sha256').update(password).digest('hex');
