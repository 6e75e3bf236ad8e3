/** What keeps us from a host's credentials, each with the next action. */
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

/** A person's Secret is not overwritten: hosts may know the key that belongs in it. No watch tells when it is mended. */
export const CREDENTIALS_KEY_INCOMPLETE = defineError('CREDENTIALS_KEY_INCOMPLETE', {
  retry: { after: minutes(1) },
  reason: 'SSHKeyUnavailable',
  text: 'Secret {secret} has no {missing}; add the fleet key, or delete the Secret to generate a new one',
});
