import { defineError } from '@minifleet/errors';

export const HOST_JOB_NOT_GONE = defineError('HOST_JOB_NOT_GONE', {
  retry: 'backoff',
  reason: 'HostJobNotGone',
  text: 'launchd on {address} still holds {label} 30s after it was booted out; look at `sudo launchctl print system/{label}`, then run it again',
});

export const HOST_JOB_REFUSED = defineError('HOST_JOB_REFUSED', {
  retry: 'backoff',
  reason: 'HostJobRefused',
  text: 'launchd on {address} does not take {label}: {why}; run it again, it is bootstrapped anew',
});
