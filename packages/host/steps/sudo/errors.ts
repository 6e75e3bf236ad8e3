/** What can go wrong with sudo and with the account behind it. */
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

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
