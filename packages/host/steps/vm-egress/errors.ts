/** What can go wrong with the guests' filter. */
import { defineError } from '@minifleet/errors';

export const HOST_EGRESS_INVALID = defineError('HOST_EGRESS_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostEgressInvalid',
  text: 'what guests may reach cannot be rendered: {field} is {value}, {problem}; correct it, no host was changed',
});

export const HOST_PF_CONF_INVALID = defineError('HOST_PF_CONF_INVALID', {
  retry: 'operator',
  reason: 'HostPfConfInvalid',
  text: 'pf on {address} refuses /etc/pf.conf: {complaint}; repair that by hand (`sudo pfctl -nf /etc/pf.conf` checks it), nothing was changed',
});

export const HOST_PF_RULES_REFUSED = defineError('HOST_PF_RULES_REFUSED', {
  retry: 'backoff',
  reason: 'HostPfRulesRefused',
  text: 'pf on {address} does not take the rules for guests: {complaint}; what it had loaded stays in force, it is tried again',
});
