/** What keeps a machine off a host, each with the next action. */
import { defineError } from '@minifleet/errors';

export const CLAIM_LOST = defineError('CLAIM_LOST', {
  retry: 'operator',
  reason: 'ClaimLost',
  text: '{machine}: host claim lost ({why}); the provider leaves the host alone. Delete the Machine to get another host',
});

/** Of an object that names a host by hand or from the older system, and may not have it (I13). */
export const CLAIM_CONFLICT = defineError('CLAIM_CONFLICT', {
  retry: 'operator',
  reason: 'ClaimConflict',
  text: '{machine}: host {host} cannot be claimed ({why}); the provider leaves the host alone. Delete the Machine that should not have it',
});
