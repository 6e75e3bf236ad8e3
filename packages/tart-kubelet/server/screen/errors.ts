/** Why a screen cannot be looked at, each with the next action. */
import { defineError } from '@minifleet/errors';

export const NO_SCREEN = defineError('NO_SCREEN', {
  retry: 'untilSpecChanges',
  reason: 'NoScreen',
  text: 'pod {pod} has no screen: it needs the annotation {annotation}=true before its guest starts (nor does the guest itself share one: {why})',
});

export const SCREEN_REFUSED = defineError('SCREEN_REFUSED', {
  retry: 'backoff',
  reason: 'ScreenRefused',
  text: 'the guest’s screen at {place} does not let the agent in: {why}; start the Pod anew if this stays',
});

export const VIEWER_NOT_UNDERSTOOD = defineError('VIEWER_NOT_UNDERSTOOD', {
  retry: 'untilSpecChanges',
  reason: 'ViewerNotUnderstood',
  text: 'the viewer cannot be shown the screen: {why}; use one that speaks RFB 3.3, 3.7 or 3.8',
});
