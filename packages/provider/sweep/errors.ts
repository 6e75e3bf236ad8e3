import { seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const ORPHAN_NO_MORE = defineError('ORPHAN_NO_MORE', {
  retry: { after: seconds(60) },
  reason: 'ClaimLost',
  text: '{host}: no longer an orphan of {machine}; the sweep stops and the next sweep checks again',
});
