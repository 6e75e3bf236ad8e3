/** What keeps the command line from reaching a host at all. */
import { defineError } from '@minifleet/errors';

export const HOST_KEY_UNKNOWN = defineError('HOST_KEY_UNKNOWN', {
  retry: 'operator',
  reason: 'HostKeyUnknown',
  text: '{address} was never met from here and shows the host key {seen}; compare it with `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the host, then run this again with --host-key {seen} (or --accept-new-host-key to trust it unseen)',
});

export const HOST_KEY_NOT_TRUSTED = defineError('HOST_KEY_NOT_TRUSTED', {
  retry: 'operator',
  reason: 'HostKeyNotTrusted',
  text: 'the host key {seen} of {address} was not trusted; nothing was done',
});

export const IDENTITY_MISSING = defineError('IDENTITY_MISSING', {
  retry: 'operator',
  reason: 'IdentityMissing',
  text: 'there is no SSH key to log in with ({looked}); name one with -i, or make one with `ssh-keygen -t ed25519`',
});
