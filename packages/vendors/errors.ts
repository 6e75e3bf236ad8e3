/** Failures of vendor calls, each with the next action. */
import { formatDuration, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const VENDOR_UNAVAILABLE = defineError('VENDOR_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'VendorUnavailable',
  text: '{vendor}: {call} failed ({why}); retrying',
});

const SLOWLY = seconds(10);

export const VENDOR_BUSY = defineError('VENDOR_BUSY', {
  retry: { after: SLOWLY },
  reason: 'VendorUnavailable',
  text: `{vendor}: {call} was rate-limited; retrying in ${formatDuration(SLOWLY)}`,
});

export const VENDOR_REFUSED = defineError('VENDOR_REFUSED', {
  retry: 'operator',
  reason: 'VendorRefused',
  text: '{vendor}: {call} was refused ({why}); check the access key, its project and its permission sets',
});

/** Neither a permission nor a network problem: the vendor considers the request invalid. */
export const VENDOR_REJECTED = defineError('VENDOR_REJECTED', {
  retry: { after: seconds(60) },
  reason: 'VendorRejected',
  text: '{vendor}: {call} was rejected ({why}); retrying. If this persists, check the server in the vendor console',
});

export const VENDOR_SERVER_UNKNOWN = defineError('VENDOR_SERVER_UNKNOWN', {
  retry: 'operator',
  reason: 'HostVanished',
  text: '{vendor}: server {id} in {zone} does not exist; delete the Machine that holds it to get another host',
});

export const VENDOR_CANNOT = defineError('VENDOR_CANNOT', {
  retry: 'operator',
  reason: 'VendorCannot',
  text: '{vendor}: {call} is not supported; do it by hand on {id}',
});

export const VENDOR_IMAGE_NOT_OFFERED = defineError('VENDOR_IMAGE_NOT_OFFERED', {
  retry: { after: seconds(300) },
  reason: 'FamilyNotOffered',
  text: '{vendor}: image {image} is not offered for {type} in {zone}; offered: {offered}',
});
