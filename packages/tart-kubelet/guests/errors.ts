/** Guest errors other than Tart's own failures, each with the next action. */
import { defineError } from '@minifleet/errors';

export const GUEST_AGENT_UNREACHABLE = defineError('GUEST_AGENT_UNREACHABLE', {
  retry: 'backoff',
  reason: 'GuestAgentUnreachable',
  text: 'guest agent: no answer ({why}); check that the image runs tart-guest-agent',
});

export const GUEST_NOT_RUNNING = defineError('GUEST_NOT_RUNNING', {
  retry: 'backoff',
  reason: 'GuestNotRunning',
  text: 'guest {guest}: cannot run a command (it is {phase}); retry when the Pod is Running',
});

export const SCREEN_NOT_SERVED = defineError('SCREEN_NOT_SERVED', {
  retry: 'backoff',
  reason: 'ScreenNotServed',
  text: 'guest {guest}: screen unavailable ({why}); retry, and recreate the Pod if that does not help',
});

export const GUEST_STILL_THERE = defineError('GUEST_STILL_THERE', {
  retry: 'backoff',
  reason: 'GuestStillThere',
  text: 'guest {guest}: cannot be removed (it is {phase}); stop it first',
});

export const GUEST_ALREADY_RAN = defineError('GUEST_ALREADY_RAN', {
  retry: 'untilSpecChanges',
  reason: 'GuestAlreadyRan',
  text: 'guest {guest}: cannot start again (it has already run); start the next attempt',
});

export const SUPERVISOR_DID_NOT_START = defineError('SUPERVISOR_DID_NOT_START', {
  retry: 'backoff',
  reason: 'SupervisorDidNotStart',
  text: 'guest {guest}: supervisor did not start ({why}); retrying',
});
