import type { Mac } from '../mac.ts';
import type { Session } from '../program.ts';
import type { User } from '../user.ts';

export interface KeychainItem {
  readonly kind: 'generic' | 'internet';
  /** Service of a generic password, server of an internet one. */
  readonly where: string;
  readonly account: string;
  readonly password: string;
}

interface Keychain {
  /** Someone gave the password with `security unlock-keychain` since the last boot or lock. */
  unlocked: boolean;
  items: KeychainItem[];
}

const KEY = Symbol('keychain');

export const keychainOf = (mac: Mac): Keychain => mac.state(KEY, () => ({ unlocked: false, items: [] }));

/** Secrets may be read and written; or the system would have to ask someone, and nobody can be asked. */
export type KeychainAccess = 'allowed' | 'interaction not allowed';

/** errSecInteractionNotAllowed (-25308): what tools print, and what `security` exits with. */
export const INTERACTION_NOT_ALLOWED = {
  message: 'User interaction is not allowed.',
  code: -25308,
  exitCode: 36,
} as const;

/**
 * Neither an SSH session nor an agent or daemon of launchd can show the system's question, so a locked keychain fails at
 * once (I25; S3). The automatic login does not help: it unlocks for what a person starts at the screen.
 */
export function keychainAccess(mac: Mac, _who: { readonly session: Session; readonly user: User }): KeychainAccess {
  return keychainOf(mac).unlocked ? 'allowed' : 'interaction not allowed';
}

/** Stores a secret as `tart login` and `security add-…-password -U` do. */
export function storePassword(
  mac: Mac,
  who: { readonly session: Session; readonly user: User },
  item: KeychainItem,
): KeychainAccess {
  const access = keychainAccess(mac, who);
  if (access !== 'allowed') return access;
  const keychain = keychainOf(mac);
  keychain.items = [...keychain.items.filter(other => !sameItem(item, other)), item];
  return access;
}

export const sameItem = (one: KeychainItem, other: KeychainItem): boolean =>
  one.kind === other.kind && one.where === other.where && one.account === other.account;
