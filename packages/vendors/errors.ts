/** Everything a vendor can answer that is not what was asked for, each with the next action. */
import { formatDuration, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const VENDOR_UNAVAILABLE = defineError('VENDOR_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'VendorUnavailable',
  text: '{vendor} does not answer {call} ({why}); it is asked again, nothing is to be done unless this lasts',
});

const SLOWLY = seconds(10);

export const VENDOR_BUSY = defineError('VENDOR_BUSY', {
  retry: { after: SLOWLY },
  reason: 'VendorUnavailable',
  text: `{vendor} asks us to slow down ({call}); it is asked again in ${formatDuration(SLOWLY)}`,
});

export const VENDOR_REFUSED = defineError('VENDOR_REFUSED', {
  retry: 'operator',
  reason: 'VendorRefused',
  text: '{vendor} refuses {call}: {why}; check the access key, its project and its permission sets',
});

/** What it said is no trouble of rights or of the network: the request itself is wrong in its eyes. */
export const VENDOR_REJECTED = defineError('VENDOR_REJECTED', {
  retry: { after: seconds(60) },
  reason: 'VendorRejected',
  text: '{vendor} rejects {call}: {why}; it is asked again in a minute, look at the server in its console if this lasts',
});

export const VENDOR_SERVER_UNKNOWN = defineError('VENDOR_SERVER_UNKNOWN', {
  retry: 'operator',
  reason: 'HostVanished',
  text: '{vendor} does not know the server {id} in {zone}; delete the Machine that holds it to get another host',
});

export const VENDOR_CANNOT = defineError('VENDOR_CANNOT', {
  retry: 'operator',
  reason: 'VendorCannot',
  text: '{vendor} cannot {call}: do it by hand on {id}, then go on',
});

export const VENDOR_IMAGE_NOT_OFFERED = defineError('VENDOR_IMAGE_NOT_OFFERED', {
  retry: { after: seconds(300) },
  reason: 'FamilyNotOffered',
  text: '{vendor} offers no {image} for {type} in {zone}; it offers {offered}',
});

export const VENDOR_INVENTORY_INVALID = defineError('VENDOR_INVENTORY_INVALID', {
  retry: { after: seconds(60) },
  reason: 'InventoryInvalid',
  text: 'the inventory cannot be read as it is: {problems}; correct it there, it is read again by itself',
});
