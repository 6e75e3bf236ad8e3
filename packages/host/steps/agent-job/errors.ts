import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const HOST_AGENT_NOT_STABLE = defineError('HOST_AGENT_NOT_STABLE', {
  // Each try stops the agent for half a minute, and one with other arguments is a registration that macOS counts.
  retry: { after: minutes(30) },
  reason: 'HostAgentNotStable',
  text: 'the node agent {slot} does not keep running on {address}: {why}; {outcome}; read the end of {log}, then roll another version',
});

export const HOST_AGENT_PROGRAM_MISSING = defineError('HOST_AGENT_PROGRAM_MISSING', {
  retry: 'backoff',
  reason: 'HostAgentProgramMissing',
  text: 'the slot {slot} on {address} holds no node agent; nothing was changed, run the whole plan, which sends it first',
});

export const HOST_AGENT_PROGRAM_REPLACED = defineError('HOST_AGENT_PROGRAM_REPLACED', {
  retry: 'backoff',
  reason: 'HostAgentProgramReplaced',
  text: 'the node agent in the slot {slot} on {address} is not the program that was sent: somebody wrote over it during this run; it was not signed, and the next run sends it anew',
});
