/** Errors before the connection to a host. */
import { defineError } from '@minifleet/errors';

export const HOST_KEY_UNKNOWN = defineError('HOST_KEY_UNKNOWN', {
  retry: 'operator',
  reason: 'HostKeyUnknown',
  text: '{address}: host key {seen} is unknown (first connection); compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the host, then retry with --host-key {seen} (or --accept-new-host-key to trust it without comparison)',
});

export const HOST_KEY_NOT_TRUSTED = defineError('HOST_KEY_NOT_TRUSTED', {
  retry: 'operator',
  reason: 'HostKeyNotTrusted',
  text: '{address}: host key {seen} was not confirmed; nothing was changed',
});

export const IDENTITY_MISSING = defineError('IDENTITY_MISSING', {
  retry: 'operator',
  reason: 'IdentityMissing',
  text: 'no SSH key found ({looked}); pass one with -i, or create one with `ssh-keygen -t ed25519`',
});
