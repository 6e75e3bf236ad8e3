/** What can keep a person from being logged in at the screen. */
import { defineError } from '@minifleet/errors';

export const HOST_PASSWORD_WRONG = defineError('HOST_PASSWORD_WRONG', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordWrong',
  text: 'the given password is not that of {user} on {address}; nothing was written; give the right one, this one was tried once and is not tried again',
});

export const HOST_PASSWORD_NEEDED = defineError('HOST_PASSWORD_NEEDED', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordNeeded',
  text: '{user} cannot be logged in at the screen of {address} without its password ({difference}); give it once, for example with `minifleet prepare-fleet-host`',
});

export const HOST_PASSWORD_SEALED = defineError('HOST_PASSWORD_SEALED', {
  retry: 'untilSpecChanges',
  reason: 'HostPasswordSealed',
  text: 'the login window of {address} refused the password of {user} and sealed /etc/kcpassword, so no VM can start there; give the password the account has now',
});

export const HOST_PASSWORD_UNCHECKED = defineError('HOST_PASSWORD_UNCHECKED', {
  retry: 'operator',
  reason: 'HostPasswordUnchecked',
  text: 'the password of {user} on {address} cannot be checked, as sudo never asks {user} for it, and unchecked it is not written; make {user} an administrator and leave the rule for %admin in /etc/sudoers as macOS ships it',
});

export const HOST_SESSION_MISSING = defineError('HOST_SESSION_MISSING', {
  retry: 'backoff',
  reason: 'HostSessionMissing',
  text: '{user} has no session at the screen of {address} {after} after its login window was restarted, though the password was kept; look at the screen through the vendor’s console, FileVault and a dialogue at login both do this',
});
