import { HOST_USER_NAME_INVALID } from './errors.ts';

/** Anything else would mean something in sudoers: `ALL`, `%group`, `#uid`, a second rule after a newline. */
const SHORT_NAME = /^[a-z_][a-z0-9_.-]*$/;

/** Throws unless it is the short name of an account. */
export function requireUserName(user: string): void {
  if (!SHORT_NAME.test(user)) throw HOST_USER_NAME_INVALID({ user: JSON.stringify(user) });
}

/** sudo reads no file with a dot in its name, so one in the user's name is replaced. */
export const sudoersPath = (user: string): string => `/etc/sudoers.d/${user.replaceAll('.', '_')}-nopasswd`;

export const sudoersRule = (user: string): string => `${user} ALL=(ALL) NOPASSWD: ALL`;
