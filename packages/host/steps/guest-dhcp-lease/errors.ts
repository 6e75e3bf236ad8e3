import { defineError } from '@minifleet/errors';

/** No DHCP server hands out such a lease. */
export const HOST_LEASE_INVALID = defineError('HOST_LEASE_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostLeaseInvalid',
  text: 'guests of {address} cannot be given an address for {seconds} seconds: choose a whole number from 60 to 86400; nothing was changed',
});
