/** What can be wrong with what we are given to reach a host, and with waiting for one. */
import { defineError } from '@minifleet/errors';

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
