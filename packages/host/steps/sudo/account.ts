import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { Secret } from '@minifleet/secret';
import type { HostCommandResult, HostView } from '../../host.ts';

export const HOST_SUDO_PASSWORD_WRONG = defineError('HOST_SUDO_PASSWORD_WRONG', {
  retry: 'untilSpecChanges',
  reason: 'HostSudoPasswordWrong',
  text: '{address}: sudo rejected the password of {user}; provide the correct one, this one was tried once and is not tried again',
});

export const HOST_ACCOUNT_LOCKED = defineError('HOST_ACCOUNT_LOCKED', {
  retry: { after: minutes(15) },
  reason: 'HostAccountLocked',
  text: '{address}: macOS locked {user} after wrong passwords ({why}); no password was tried, because every attempt restarts the lockout; retry in 15m with the correct password',
});

export const HOST_SUDO_NOT_ALLOWED = defineError('HOST_SUDO_NOT_ALLOWED', {
  retry: 'operator',
  reason: 'HostSudoNotAllowed',
  text: '{address}: {user} may not use sudo; make it an administrator in Users & Groups through the vendor’s console',
});

export const HOST_PASSWORD_UNUSABLE = defineError('HOST_PASSWORD_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordUnusable',
  text: 'the provided {password} is empty or has more than one line; provide only the password of the account; nothing was tried',
});

export const HOST_USER_NAME_INVALID = defineError('HOST_USER_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostUserNameInvalid',
  text: '{user} is not a valid account name; use lower-case letters, digits, `_`, `.` and `-` only, and name the account used for SSH',
});

/**
 * Checks whether macOS would accept a password of this account at all. Not an attempt, so it never extends a lockout.
 */
export const readLockState = (host: HostView, user: string): Promise<HostCommandResult> =>
  host.query(['/usr/bin/pwpolicy', '-u', user, '-authentication-allowed']);

/** Lockout reason from macOS; undefined if there is none or it is unknown. */
function lockReason({ stdout, stderr }: Pick<HostCommandResult, 'stdout' | 'stderr'>): string | undefined {
  const words = `${stdout}\n${stderr}`;
  return (
    /is not allowed to authenticate:? *(.*)/.exec(words)?.[1] ?? /account is (?:disabled|locked).*/.exec(words)?.[0]
  );
}

/** Throws if the account is locked: then not even the correct password may be tried. */
export function assertUnlocked(host: HostView, user: string, answer: HostCommandResult): void {
  const why = lockReason(answer);
  if (why !== undefined) throw HOST_ACCOUNT_LOCKED({ user, address: host.address, why: why || 'no reason given' });
}

/** The password without a trailing newline from a file or a prompt. */
export function passwordText(password: Secret): string {
  const text = password
    .reveal()
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '' || /[\n\r\0]/.test(text)) throw HOST_PASSWORD_UNUSABLE({ password: password.toString() });
  return text;
}

/**
 * Input for `sudo -S`: exactly one line. sudo takes each further line as another attempt, so extra input would turn one
 * wrong password into three and lock the account (I34).
 */
export const passwordLine = (password: Secret): Secret => new Secret(password.name, `${passwordText(password)}\n`);
