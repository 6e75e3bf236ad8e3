import { createHash } from 'node:crypto';
import { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';
import type { HostAccess } from './credentials.ts';

/** Credentials of a host, stored in the Secret of its machine. */
export interface HostCredentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly hostKey?: string | undefined;
  /** SHA-256 of the password that the host rejected; any other password counts as untried. */
  readonly rejected?: string | undefined;
}

/** Placeholder of the vendor for a password that it no longer returns. */
const SEALED = '<sealed>';

/**
 * Adds the values of the vendor. Existing values stay, because an operator may have written them; only a rejected password is
 * replaced by another one of the vendor. So no password is tried twice, and at most two are tried (I34).
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

/** Removes the line break that an editor adds; no password ends with one. */
function usable(password: string | undefined): string | undefined {
  const text = password?.replace(/\r?\n$/, '');
  return text === '' || text === SEALED ? undefined : text;
}

const digest = (password: string): string => createHash('sha256').update(password).digest('hex');
