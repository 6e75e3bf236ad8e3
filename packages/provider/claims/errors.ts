/** What keeps a machine off a host, each with the next action. */
import { defineError } from '@minifleet/errors';

export const CLAIM_LOST = defineError('CLAIM_LOST', {
  retry: 'operator',
  reason: 'ClaimLost',
  text: 'machine {machine} no longer holds its host: {why}; nothing is done on the host, delete the Machine to get another',
});

/** Of an object that names a host by hand or from the older system, and may not have it (I13). */
export const CLAIM_CONFLICT = defineError('CLAIM_CONFLICT', {
  retry: 'operator',
  reason: 'ClaimConflict',
  text: 'machine {machine} names the host {host}, and {why}; nothing is done on the host, delete the Machine that should not have it',
});
