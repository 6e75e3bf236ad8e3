/** Failures with fleet keys and host credentials, each with the next action. */
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const CREDENTIALS_SECRET_UNAVAILABLE = defineError('CREDENTIALS_SECRET_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'SecretUnavailable',
  text: 'Secret {secret} could not be read or written ({why}); retrying. If this persists, check the RBAC permissions of the provider',
});

export const CREDENTIALS_KEY_NOT_REGISTERED = defineError('CREDENTIALS_KEY_NOT_REGISTERED', {
  retry: 'backoff',
  reason: 'SSHKeyUnavailable',
  text: 'Secret {secret}: SSH key is not registered with the vendor ({why}); hosts that are installed meanwhile will reject the provider',
});

/** The provider does not overwrite an operator's Secret, because hosts may have the original key. Retried, because the Secret is not watched. */
export const CREDENTIALS_KEY_INCOMPLETE = defineError('CREDENTIALS_KEY_INCOMPLETE', {
  retry: { after: minutes(1) },
  reason: 'SSHKeyUnavailable',
  text: 'Secret {secret} has no {missing}; add the fleet key, or delete the Secret to generate a new one',
});
