import { defineError } from '@minifleet/errors';

export const HOST_CREDENTIALS_EMPTY = defineError('HOST_CREDENTIALS_EMPTY', {
  retry: 'backoff',
  reason: 'HostCredentialsEmpty',
  text: 'the credentials for {path} on {address} are empty; nothing was written, see that whoever makes them has done so',
});
