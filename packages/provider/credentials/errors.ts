/** What keeps us from a host's credentials, each with the next action. */
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const CREDENTIALS_SECRET_UNAVAILABLE = defineError('CREDENTIALS_SECRET_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'SecretUnavailable',
  text: 'the Secret {secret} cannot be read or written ({why}); it is tried again, look at the rights of the provider if this lasts',
});

export const CREDENTIALS_KEY_NOT_REGISTERED = defineError('CREDENTIALS_KEY_NOT_REGISTERED', {
  retry: 'backoff',
  reason: 'SSHKeyUnavailable',
  text: 'the key of Secret {secret} is not registered with the vendor, and hosts installed meanwhile would not let us in: {why}',
});

/** A person's Secret is not overwritten: hosts may know the key that belongs in it. No watch tells when it is mended. */
export const CREDENTIALS_KEY_INCOMPLETE = defineError('CREDENTIALS_KEY_INCOMPLETE', {
  retry: { after: minutes(1) },
  reason: 'SSHKeyUnavailable',
  text: 'the Secret {secret} holds no {missing}; put the key of the fleet there, or delete the Secret to have a new one made',
});
