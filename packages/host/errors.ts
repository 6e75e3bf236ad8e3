/** Everything that can go wrong between us and a host, each with the next action. Throwers add values and the cause. */
import { seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

/** What can be wrong with what we are given to reach a host, and with waiting for one. */

export const HOST_PRIVATE_KEY_UNUSABLE = defineError('HOST_PRIVATE_KEY_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostPrivateKeyUnusable',
  text: '{key} cannot be used to log in over SSH ({why}); give a private key without a passphrase in OpenSSH or PEM format, as `ssh-keygen -t ed25519 -N "" -f fleet-key` writes it',
});

export const HOST_PIN_UNREADABLE = defineError('HOST_PIN_UNREADABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostPinUnreadable',
  text: 'the host key pinned for {address}, "{pinned}", is not of the form SHA256:…; take it from `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the host',
});

export const HOST_STAYED_UNREACHABLE = defineError('HOST_STAYED_UNREACHABLE', {
  retry: 'backoff',
  reason: 'HostStayedUnreachable',
  text: '{address} was not to be reached for {within}; the last try said: {last}',
});

export const HOST_DID_NOT_COME_BACK = defineError('HOST_DID_NOT_COME_BACK', {
  retry: 'backoff',
  reason: 'HostDidNotComeBack',
  text: '{address} was told to restart and {why} after {after}; restart it from the vendor’s console, then run the same again',
});

export const HOST_REBOOT_IN_VAIN = defineError('HOST_REBOOT_IN_VAIN', {
  retry: 'backoff',
  reason: 'HostRebootInVain',
  text: '{address} was restarted for step {step}, which is still not in force: {difference}; it is not restarted for this again: see that its clock is right and that nobody else writes the setting, then restart it by hand',
});

export const HOST_UNREACHABLE = defineError('HOST_UNREACHABLE', {
  retry: 'backoff',
  reason: 'HostUnreachable',
  text: 'cannot reach {address} over SSH ({why}); check that the host is powered on and that port is open from here',
});

export const HOST_CONNECTION_LOST = defineError('HOST_CONNECTION_LOST', {
  retry: 'backoff',
  reason: 'HostConnectionLost',
  text: 'the connection to {address} was lost ({why}); run the same again, it goes on where it stopped',
});

export const HOST_KEY_REFUSED = defineError('HOST_KEY_REFUSED', {
  retry: 'operator',
  reason: 'HostKeyRefused',
  text: '{address} refuses our SSH key; paste the public key into ~/.ssh/scw_authorized_keys through the vendor’s console, or reinstall the host',
});

export const HOST_IDENTITY_CHANGED = defineError('HOST_IDENTITY_CHANGED', {
  retry: 'operator',
  reason: 'HostIdentityChanged',
  text: '{address} shows the host key {seen} instead of the pinned {pinned}; if the host was reinstalled, remove the pin, otherwise someone else answers there',
});

export const HOST_COMMAND_TIMED_OUT = defineError('HOST_COMMAND_TIMED_OUT', {
  retry: 'backoff',
  reason: 'HostCommandTimedOut',
  text: '{command} on {address} did not end within {after}; it may still be running, and is looked at again before anything is repeated',
});

export const HOST_COMMAND_FAILED = defineError('HOST_COMMAND_FAILED', {
  retry: 'backoff',
  reason: 'HostCommandFailed',
  text: '{command} on {address} failed with {status}: {output}',
});

export const HOST_DISK_FULL = defineError('HOST_DISK_FULL', {
  retry: { after: seconds(300) },
  reason: 'HostDiskFull',
  text: '{address} has no space left for {path}; free some (`tart prune`, old images in ~/.tart/cache), nothing was changed',
});

export const HOST_FILE_READ_ONLY = defineError('HOST_FILE_READ_ONLY', {
  retry: 'operator',
  reason: 'HostFileReadOnly',
  text: '{path} on {address} cannot be written ({why}); remove its lock (`sudo chflags nouchg {path}`) or choose another place, nothing was changed',
});

export const HOST_FILE_CHANGED = defineError('HOST_FILE_CHANGED', {
  retry: 'backoff',
  reason: 'HostFileChanged',
  text: '{path} on {address} was changed by someone else between our reading and our writing; nothing was written, run it again',
});

export const HOST_UPLOAD_INCOMPLETE = defineError('HOST_UPLOAD_INCOMPLETE', {
  retry: 'backoff',
  reason: 'HostUploadIncomplete',
  text: 'what arrived at {path} on {address} is not what was sent; the part was thrown away, run it again',
});

export const HOST_SUDO_NEEDED = defineError('HOST_SUDO_NEEDED', {
  retry: 'operator',
  reason: 'HostSudoNeeded',
  text: '{address} asks for a password for sudo; run `minifleet prepare-fleet-host`, or give the password once',
});

export const HOST_SUDO_BROKEN = defineError('HOST_SUDO_BROKEN', {
  retry: 'operator',
  reason: 'HostSudoBroken',
  text: 'sudo on {address} runs nothing any more ({why}); open /etc/sudoers.d in Finder at the vendor’s console and remove that file, or reinstall the host',
});

export const HOST_BUSY = defineError('HOST_BUSY', {
  retry: { after: seconds(30) },
  reason: 'HostBusy',
  text: '{holder} is already changing {address}; wait until it ends, its lease is free {lease} after its last sign of life',
});

export const HOST_LEASE_LOST = defineError('HOST_LEASE_LOST', {
  retry: 'backoff',
  reason: 'HostLeaseLost',
  text: '{address} was taken over by {holder} while we were changing it; nothing more was done, run it again',
});

export const HOST_STEP_DID_NOT_CONVERGE = defineError('HOST_STEP_DID_NOT_CONVERGE', {
  retry: 'backoff',
  reason: 'HostStepDidNotConverge',
  text: 'step {step} was carried out on {address} and the host still differs: {difference}',
});

export const HOST_STEP_TIMED_OUT = defineError('HOST_STEP_TIMED_OUT', {
  retry: 'backoff',
  reason: 'HostStepTimedOut',
  text: 'step {step} on {address} did not end within {after}; run it again, it goes on where it stopped',
});
