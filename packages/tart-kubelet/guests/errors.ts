/** What can go wrong with a guest beyond Tart's own failures, each with the next action. */
import { defineError } from '@minifleet/errors';

export const GUEST_AGENT_UNREACHABLE = defineError('GUEST_AGENT_UNREACHABLE', {
  retry: 'backoff',
  reason: 'GuestAgentUnreachable',
  text: 'the guest agent does not answer ({why}); check that the image runs tart-guest-agent',
});

export const GUEST_NOT_RUNNING = defineError('GUEST_NOT_RUNNING', {
  retry: 'backoff',
  reason: 'GuestNotRunning',
  text: 'guest {guest} is {phase}; a command runs in it only while it is running',
});

export const SCREEN_NOT_SERVED = defineError('SCREEN_NOT_SERVED', {
  retry: 'backoff',
  reason: 'ScreenNotServed',
  text: 'the screen of guest {guest} is not served: {why}; try again in a moment, and start the Pod anew if that does not help',
});

export const GUEST_STILL_THERE = defineError('GUEST_STILL_THERE', {
  retry: 'backoff',
  reason: 'GuestStillThere',
  text: 'guest {guest} is {phase}; it is removed after it has exited, stop it first',
});

export const GUEST_ALREADY_RAN = defineError('GUEST_ALREADY_RAN', {
  retry: 'untilSpecChanges',
  reason: 'GuestAlreadyRan',
  text: 'guest {guest} has run already and does not run again; start the next attempt',
});

export const SUPERVISOR_DID_NOT_START = defineError('SUPERVISOR_DID_NOT_START', {
  retry: 'backoff',
  reason: 'SupervisorDidNotStart',
  text: 'the supervisor of guest {guest} did not start: {why}',
});
