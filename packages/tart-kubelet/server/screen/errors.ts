/** Screen errors, each with the next action. */
import { defineError } from '@minifleet/errors';

export const NO_SCREEN = defineError('NO_SCREEN', {
  retry: 'untilSpecChanges',
  reason: 'NoScreen',
  text: 'pod {pod}: no screen (the guest serves none: {why}); recreate the Pod with the annotation {annotation}=true',
});

export const SCREEN_REFUSED = defineError('SCREEN_REFUSED', {
  retry: 'backoff',
  reason: 'ScreenRefused',
  text: 'guest screen at {address}: login failed ({why}); recreate the Pod if this persists',
});

export const VIEWER_NOT_SUPPORTED = defineError('VIEWER_NOT_SUPPORTED', {
  retry: 'untilSpecChanges',
  reason: 'ViewerNotSupported',
  text: 'VNC viewer: handshake failed ({why}); use a viewer that supports RFB 3.3, 3.7 or 3.8',
});
