import { defineError } from '@minifleet/errors';

/** A host cannot be called so. */
export const HOST_NAME_INVALID = defineError('HOST_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostNameInvalid',
  text: '{name} cannot be the name of {address}: up to 63 lower-case letters, digits and dashes, no dash at either end; nothing was changed, choose another name',
});
