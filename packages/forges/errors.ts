/** Error catalogue of the forges, each error with its next action. */
import { formatDuration, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const FORGE_UNAVAILABLE = defineError('FORGE_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ForgeUnavailable',
  text: '{forge}: {call} failed ({why}); retrying',
});

const RATE_LIMIT_RETRY = seconds(60);

/** No request is sent before the rate limit resets, however often the caller retries. */
export const FORGE_BUSY = defineError('FORGE_BUSY', {
  retry: { after: RATE_LIMIT_RETRY },
  reason: 'ForgeUnavailable',
  text: `{forge}: {call} is rate limited; retrying in ${formatDuration(RATE_LIMIT_RETRY)}. If this persists, check who else uses the same GitHub App`,
});

export const FORGE_REFUSED = defineError('FORGE_REFUSED', {
  retry: 'operator',
  reason: 'ForgeRefused',
  text: '{forge}: {call} was refused for {account} ({why}); install the GitHub App {app} on {account} with the permission Organization → Self-hosted runners: read and write, and check that app-id, installation-id and private-key belong to this App',
});

/** A 4xx response that is neither a permission problem nor a rate limit: GitHub considers the request itself invalid. */
export const FORGE_REJECTED = defineError('FORGE_REJECTED', {
  retry: { after: seconds(60) },
  reason: 'ForgeRejected',
  text: '{forge}: {call} was rejected for {account} ({why}); retrying in 1m. If this persists, check the runners of {account}',
});

export const FORGE_SECRET_MISSING = defineError('FORGE_SECRET_MISSING', {
  retry: 'operator',
  reason: 'SecretMissing',
  text: 'Secret {secret} not found; create it with app-id, installation-id and private-key of a GitHub App that is installed on {account}',
});

export const FORGE_CREDENTIALS_INCOMPLETE = defineError('FORGE_CREDENTIALS_INCOMPLETE', {
  retry: 'operator',
  reason: 'ForgeCredentialsInvalid',
  text: '{place} has no {missing}; copy the values from the settings page of the GitHub App',
});

export const FORGE_CREDENTIALS_WRONG = defineError('FORGE_CREDENTIALS_WRONG', {
  retry: 'operator',
  reason: 'ForgeCredentialsInvalid',
  text: '{place} is invalid: {problems}',
});

export const FORGE_RUNNER_EXISTS = defineError('FORGE_RUNNER_EXISTS', {
  retry: { after: seconds(60) },
  reason: 'RunnerExists',
  text: '{forge}: runner {name} already exists in {account} and is online or busy; wait until it is gone, or use another name',
});

export const FORGE_GROUP_UNKNOWN = defineError('FORGE_GROUP_UNKNOWN', {
  retry: 'operator',
  reason: 'RunnerGroupUnknown',
  text: '{forge}: runner group {group} not found in {account}; create it, or use one of: {known}',
});
