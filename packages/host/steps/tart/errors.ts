import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const HOST_TART_ARCHIVE_UNUSABLE = defineError('HOST_TART_ARCHIVE_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostTartArchiveUnusable',
  text: '{archive} cannot be used on {address}: {why}; the Tart that was there is untouched, give upstream’s tart.tar.gz of {version}',
});

export const HOST_TART_IN_USE = defineError('HOST_TART_IN_USE', {
  retry: { after: minutes(5) },
  reason: 'HostTartInUse',
  text: 'VMs run on {address} with the Tart that is to be replaced; drain the host first, nothing was changed',
});
