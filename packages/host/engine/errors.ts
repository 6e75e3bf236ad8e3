import { defineError } from '@minifleet/errors';

export const HOST_DID_NOT_COME_BACK = defineError('HOST_DID_NOT_COME_BACK', {
  retry: 'backoff',
  reason: 'HostDidNotComeBack',
  text: '{address} was told to restart and {why} after {after}; restart it from the vendor’s console, then run the same again',
});
