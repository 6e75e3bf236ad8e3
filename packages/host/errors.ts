/** Errors between Minifleet and a host, each with the next action. Callers add values and the cause. */
import { seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const HOST_PRIVATE_KEY_UNUSABLE = defineError('HOST_PRIVATE_KEY_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostPrivateKeyUnusable',
  text: '{key}: not usable as an SSH private key ({why}); provide a private key without a passphrase in OpenSSH or PEM format, for example from `ssh-keygen -t ed25519 -N "" -f fleet-key`',
});

export const HOST_PIN_UNREADABLE = defineError('HOST_PIN_UNREADABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostPinUnreadable',
  text: '{address}: pinned host key "{pinned}" does not have the form SHA256:…; take it from `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the host',
});

export const HOST_STAYED_UNREACHABLE = defineError('HOST_STAYED_UNREACHABLE', {
  retry: 'backoff',
  reason: 'HostStayedUnreachable',
  text: '{address}: unreachable for {within}; last error: {last}',
});

export const HOST_DID_NOT_COME_BACK = defineError('HOST_DID_NOT_COME_BACK', {
  retry: 'backoff',
  reason: 'HostDidNotComeBack',
  text: '{address}: did not come back from a reboot within {after} ({why}); restart it from the vendor’s console, then retry',
});

export const HOST_FILE_VAULT_ON = defineError('HOST_FILE_VAULT_ON', {
  retry: 'operator',
  reason: 'HostFileVaultOn',
  text: '{address}: the Mac is not rebooted, because FileVault is not off ({status}) and it would stop at the unlock screen until a person comes; run `sudo fdesetup disable` on the Mac, wait until `fdesetup status` reports only that FileVault is off, then retry',
});

export const HOST_REBOOT_INEFFECTIVE = defineError('HOST_REBOOT_INEFFECTIVE', {
  retry: 'backoff',
  reason: 'HostRebootIneffective',
  text: '{address}: step {step} is still not in effect after a reboot ({difference}); Minifleet does not reboot for it again: check that the clock is correct and that no other program writes the setting, then restart the host by hand',
});

export const HOST_UNREACHABLE = defineError('HOST_UNREACHABLE', {
  retry: 'backoff',
  reason: 'HostUnreachable',
  text: '{address}: SSH connection failed ({why}); check that the host is powered on and that its SSH port is reachable from here',
});

export const HOST_CONNECTION_LOST = defineError('HOST_CONNECTION_LOST', {
  retry: 'backoff',
  reason: 'HostConnectionLost',
  text: '{address}: SSH connection lost ({why}); retry, the run resumes where it stopped',
});

export const HOST_KEY_REFUSED = defineError('HOST_KEY_REFUSED', {
  retry: 'operator',
  reason: 'HostKeyRefused',
  text: '{address}: SSH key rejected; add the public key to ~/.ssh/authorized_keys, for the key of a fleet with minifleet prepare-fleet-host {address} --fleet <fleet>, on a rented Mac through the vendor’s console, or reinstall the host',
});

export const HOST_IDENTITY_CHANGED = defineError('HOST_IDENTITY_CHANGED', {
  retry: 'operator',
  reason: 'HostIdentityChanged',
  text: '{address}: host key is {seen}, but {pinned} is pinned; if the host was reinstalled, remove the pin, otherwise another machine answers at this address',
});

export const HOST_COMMAND_TIMED_OUT = defineError('HOST_COMMAND_TIMED_OUT', {
  retry: 'backoff',
  reason: 'HostCommandTimedOut',
  text: '{address}: {command} did not finish within {after} and may still be running; the next run inspects the host before it repeats anything',
});

export const HOST_COMMAND_FAILED = defineError('HOST_COMMAND_FAILED', {
  retry: 'backoff',
  reason: 'HostCommandFailed',
  text: '{address}: {command} failed with {status}: {output}',
});

export const HOST_DISK_FULL = defineError('HOST_DISK_FULL', {
  retry: { after: seconds(300) },
  reason: 'HostDiskFull',
  text: '{address}: no space left for {path}; free disk space (`tart prune`, old images in ~/.tart/cache); nothing was changed',
});

export const HOST_FILE_READ_ONLY = defineError('HOST_FILE_READ_ONLY', {
  retry: 'operator',
  reason: 'HostFileReadOnly',
  text: '{address}: cannot write {path} ({why}); remove its lock (`sudo chflags nouchg {path}`) or choose another path; nothing was changed',
});

export const HOST_FILE_CHANGED = defineError('HOST_FILE_CHANGED', {
  retry: 'backoff',
  reason: 'HostFileChanged',
  text: '{address}: another process changed {path} between read and write; nothing was written; retry',
});

export const HOST_UPLOAD_INCOMPLETE = defineError('HOST_UPLOAD_INCOMPLETE', {
  retry: 'backoff',
  reason: 'HostUploadIncomplete',
  text: '{address}: upload of {path} is incomplete (checksum mismatch); the partial file was removed; retry',
});

export const HOST_SUDO_NEEDED = defineError('HOST_SUDO_NEEDED', {
  retry: 'operator',
  reason: 'HostSudoNeeded',
  text: '{address}: sudo asks for a password; run `minifleet prepare-fleet-host`, or provide the password once',
});

export const HOST_SUDO_BROKEN = defineError('HOST_SUDO_BROKEN', {
  retry: 'operator',
  reason: 'HostSudoBroken',
  text: '{address}: sudo fails for every command ({why}); remove the faulty file from /etc/sudoers.d in Finder through the vendor’s console, or reinstall the host',
});

export const HOST_BUSY = defineError('HOST_BUSY', {
  retry: { after: seconds(30) },
  reason: 'HostBusy',
  text: '{address}: {holder} is already changing this host; wait until it finishes, its lease expires {lease} after the last renewal',
});

export const HOST_LEASE_LOST = defineError('HOST_LEASE_LOST', {
  retry: 'backoff',
  reason: 'HostLeaseLost',
  text: '{address}: {holder} took over the lease during this run; nothing more was changed; retry',
});

export const HOST_STEP_DID_NOT_CONVERGE = defineError('HOST_STEP_DID_NOT_CONVERGE', {
  retry: 'backoff',
  reason: 'HostStepDidNotConverge',
  text: '{address}: step {step} was applied, but the host still differs ({difference})',
});

export const HOST_STEP_TIMED_OUT = defineError('HOST_STEP_TIMED_OUT', {
  retry: 'backoff',
  reason: 'HostStepTimedOut',
  text: '{address}: step {step} did not finish within {after}; retry, the run resumes where it stopped',
});
