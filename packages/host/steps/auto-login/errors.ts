/** Errors of auto-login. */
import { defineError } from '@minifleet/errors';

export const HOST_PASSWORD_WRONG = defineError('HOST_PASSWORD_WRONG', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordWrong',
  text: '{address}: the provided password for {user} is wrong; provide the correct one, this one was tried once and is not tried again; nothing was written',
});

export const HOST_PASSWORD_NEEDED = defineError('HOST_PASSWORD_NEEDED', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordNeeded',
  text: '{address}: cannot start the GUI session of {user} without its password ({difference}); provide it once, for example with `minifleet prepare-fleet-host`',
});

export const HOST_PASSWORD_SEALED = defineError('HOST_PASSWORD_SEALED', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordSealed',
  text: '{address}: the login window rejected the password of {user} and sealed /etc/kcpassword, so no VM can start; provide the current password of the account',
});

export const HOST_PASSWORD_UNCHECKED = defineError('HOST_PASSWORD_UNCHECKED', {
  retry: 'operator',
  reason: 'HostPasswordUnchecked',
  text: '{address}: cannot verify the password of {user} (sudo never asks {user} for it), and an unverified password is not written; make {user} an administrator and keep the %admin rule in /etc/sudoers as shipped by macOS',
});

export const HOST_SESSION_MISSING = defineError('HOST_SESSION_MISSING', {
  retry: 'backoff',
  reason: 'HostSessionMissing',
  text: '{address}: {user} has no GUI session {after} after the login window restarted (the password was not rejected); check the screen through the vendor’s console for FileVault or a dialog at login',
});
