import { defineError } from '@minifleet/errors';

export const SCALING_SIGNALS_UNAVAILABLE = defineError('SCALING_SIGNALS_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ScalingSignalsUnavailable',
  text: '{url} does not tell the demand on pool {pool} ({why}); its replicas stay as they are, it is asked again in seconds: see that the address answers if this lasts',
});
