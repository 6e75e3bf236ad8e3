/** Errors of the VM egress firewall. */
import { defineError } from '@minifleet/errors';

export const HOST_EGRESS_INVALID = defineError('HOST_EGRESS_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostEgressInvalid',
  text: 'VM egress: {field} is {value}, {problem}; correct it in the spec; no host was changed',
});

export const HOST_PF_CONF_INVALID = defineError('HOST_PF_CONF_INVALID', {
  retry: 'operator',
  reason: 'HostPfConfInvalid',
  text: '{address}: pf rejects /etc/pf.conf ({complaint}); repair the file by hand and check it with `sudo pfctl -nf /etc/pf.conf`; nothing was changed',
});

export const HOST_PF_RULES_REFUSED = defineError('HOST_PF_RULES_REFUSED', {
  retry: 'backoff',
  reason: 'HostPfRulesRefused',
  text: '{address}: pf rejects the VM egress rules ({complaint}); the loaded rules stay in effect; retrying',
});
