import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { Secret } from '@minifleet/secret';
import type { HostView, Ran } from '../../host.ts';

/** What can go wrong with sudo and with the account behind it. */

export const HOST_SUDO_PASSWORD_WRONG = defineError('HOST_SUDO_PASSWORD_WRONG', {
  retry: 'untilSpecChanges',
  reason: 'HostSudoPasswordWrong',
  text: '{address} refuses the password of {user} for sudo; give the right one, this one was tried once and is not tried again',
});

export const HOST_ACCOUNT_LOCKED = defineError('HOST_ACCOUNT_LOCKED', {
  retry: { after: minutes(15) },
  reason: 'HostAccountLocked',
  text: 'macOS has locked {user} on {address} after wrong passwords ({why}); no password was tried, every try would start the wait anew; look again in 15m with the right one',
});

export const HOST_SUDO_NOT_ALLOWED = defineError('HOST_SUDO_NOT_ALLOWED', {
  retry: 'operator',
  reason: 'HostSudoNotAllowed',
  text: '{user} may not use sudo on {address}; make it an administrator in Users & Groups at the vendor’s console',
});

export const HOST_PASSWORD_UNUSABLE = defineError('HOST_PASSWORD_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordUnusable',
  text: 'the given {password} is empty or has more than one line; give the password of the account alone, nothing was tried',
});

export const HOST_USER_NAME_INVALID = defineError('HOST_USER_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostUserNameInvalid',
  text: '{user} is no short name of an account: lower-case letters, digits, `_`, `.` and `-` only; name the account we log in with',
});

/** Asks whether macOS would look at a password of this account at all: no try, so it never prolongs a lock. */
export const lookForLock = (host: HostView, user: string): Promise<Ran> =>
  host.look(['/usr/bin/pwpolicy', '-u', user, '-authentication-allowed']);

/** Why the account is refused, in macOS's words; undefined when it is not, or when nobody can say. */
function lockReason({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): string | undefined {
  const words = `${stdout}\n${stderr}`;
  return (
    /is not allowed to authenticate:? *(.*)/.exec(words)?.[1] ?? /account is (?:disabled|locked).*/.exec(words)?.[0]
  );
}

/** Throws when the account is locked: then not even the right password may be tried. */
export function refuseIfLocked(host: HostView, user: string, answer: Ran): void {
  const why = lockReason(answer);
  if (why !== undefined) throw HOST_ACCOUNT_LOCKED({ user, address: host.address, why: why || 'no reason given' });
}

/** The password without the newline a file or a prompt may have left at its end. */
export function passwordText(password: Secret): string {
  const text = password
    .reveal()
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '' || /[\n\r\0]/.test(text)) throw HOST_PASSWORD_UNUSABLE({ password: password.toString() });
  return text;
}

/**
 * All that `sudo -S` is given on standard input: one line, and then the end. sudo takes each further line for another
 * try, so anything behind the password would turn one wrong password into three, and lock the account (I34).
 */
export const passwordLine = (password: Secret): Secret => new Secret(password.name, `${passwordText(password)}\n`);
