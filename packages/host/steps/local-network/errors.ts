import { defineError } from '@minifleet/errors';

/** What is to be allowed is no network. */
export const HOST_ALLOW_LIST_INVALID = defineError('HOST_ALLOW_LIST_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostAllowListInvalid',
  text: '{addresses} is no list of local networks for {address}: write each as 192.168.0.0/16 or fd00::/8; nothing was changed',
});
