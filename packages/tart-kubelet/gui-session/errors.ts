/** Why no VM can be started on this Mac. */
import { defineError } from '@minifleet/errors';

export const GUI_SESSION_MISSING = defineError('GUI_SESSION_MISSING', {
  retry: 'backoff',
  reason: 'GUISessionMissing',
  text: 'no VM can start on this Mac: {why}',
});
