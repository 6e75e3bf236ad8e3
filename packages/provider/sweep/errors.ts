import { seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const ORPHAN_NO_MORE = defineError('ORPHAN_NO_MORE', {
  retry: { after: seconds(60) },
  reason: 'ClaimLost',
  text: 'the host {host} of {machine} is no longer an orphan; the sweep stops there, and the next one looks anew',
});
