/** Everything a forge can answer that is not what was asked for, each with the next action. */
import { formatDuration, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const FORGE_UNAVAILABLE = defineError('FORGE_UNAVAILABLE', {
  retry: 'backoff',
  reason: 'ForgeUnavailable',
  text: '{forge} does not answer {call} ({why}); it is asked again, nothing is to be done unless this lasts',
});

const SLOWLY = seconds(60);

/** Nothing is sent before the forge allows it, however often it is tried. */
export const FORGE_BUSY = defineError('FORGE_BUSY', {
  retry: { after: SLOWLY },
  reason: 'ForgeUnavailable',
  text: `{forge} asks us to slow down ({call}); it is tried again in ${formatDuration(SLOWLY)}, look for who else uses its App if this lasts`,
});

export const FORGE_REFUSED = defineError('FORGE_REFUSED', {
  retry: 'operator',
  reason: 'ForgeRefused',
  text: '{forge} refuses {call} for {account}: {why}; the GitHub App {app} must be installed there with the permission Organization → Self-hosted runners: read and write, and the fields app-id, installation-id and private-key must be its own',
});

/** What it said is no trouble of rights or of the network: the request itself is wrong in its eyes. */
export const FORGE_REJECTED = defineError('FORGE_REJECTED', {
  retry: { after: seconds(60) },
  reason: 'ForgeRejected',
  text: '{forge} rejects {call} for {account}: {why}; it is asked again in a minute, look at the runners there if this lasts',
});

export const FORGE_SECRET_MISSING = defineError('FORGE_SECRET_MISSING', {
  retry: 'operator',
  reason: 'SecretMissing',
  text: 'Secret {secret} not found; create it with app-id, installation-id and private-key of a GitHub App that is installed on {account}',
});

export const FORGE_CREDENTIALS_INCOMPLETE = defineError('FORGE_CREDENTIALS_INCOMPLETE', {
  retry: 'operator',
  reason: 'ForgeCredentialsInvalid',
  text: '{place} holds no {missing}; put there what the settings page of the GitHub App shows',
});

export const FORGE_CREDENTIALS_WRONG = defineError('FORGE_CREDENTIALS_WRONG', {
  retry: 'operator',
  reason: 'ForgeCredentialsInvalid',
  text: '{place} cannot be used as it is: {problems}',
});

export const FORGE_RUNNER_EXISTS = defineError('FORGE_RUNNER_EXISTS', {
  retry: { after: seconds(60) },
  reason: 'RunnerExists',
  text: '{forge} has a runner called {name} in {account}, and it is in use; let it end or take another name',
});

export const FORGE_GROUP_UNKNOWN = defineError('FORGE_GROUP_UNKNOWN', {
  retry: 'operator',
  reason: 'RunnerGroupUnknown',
  text: '{forge} has no group of runners called {group} in {account}; create it there or name one of: {known}',
});
