/** Errors of the GitHub Actions runner. */
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const HOST_RUNNER_TOKEN_NEEDED = defineError('HOST_RUNNER_TOKEN_NEEDED', {
  retry: 'backoff',
  reason: 'HostRunnerTokenNeeded',
  text: '{address}: runner {name} must register at {url} ({difference}), but no registration token was provided; get a new token from GitHub and retry; nothing was changed',
});

export const HOST_RUNNER_REGISTRATION_FAILED = defineError('HOST_RUNNER_REGISTRATION_FAILED', {
  retry: 'backoff',
  reason: 'HostRunnerRegistrationFailed',
  text: '{address}: {url} rejected the registration of runner {name} ({output}); GitHub answers an expired token with 404, so retry with a new one; the previous registration is kept',
});

/** GitHub's floor has come and gone in brown-outs, so the registration is retried without a change of the spec. */
export const HOST_RUNNER_VERSION_OUTDATED = defineError('HOST_RUNNER_VERSION_OUTDATED', {
  retry: { after: minutes(10) },
  reason: 'HostRunnerVersionOutdated',
  text: '{address}: {url} rejected the registration of runner {name}, because actions/runner {version} is too old to register; provide a newer release in the fleet file; retrying in 10m, the previous registration is kept',
});

export const HOST_RUNNER_NEEDS_SESSION = defineError('HOST_RUNNER_NEEDS_SESSION', {
  retry: 'backoff',
  reason: 'HostRunnerNeedsSession',
  text: '{address}: {user} has no GUI session, which the runner needs; run the step auto-login first; nothing was changed',
});

export const HOST_RUNNER_BUSY = defineError('HOST_RUNNER_BUSY', {
  retry: { after: minutes(5) },
  reason: 'HostRunnerBusy',
  text: '{address}: runner {name} started a job after the inspection; the job is not interrupted, wait until it finishes',
});

export const HOST_RUNNER_ARCHIVE_UNUSABLE = defineError('HOST_RUNNER_ARCHIVE_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostRunnerArchiveUnusable',
  text: '{address}: {archive} contains no runner ({output}); provide actions-runner-osx-arm64-{version}.tar.gz as published by GitHub; nothing was changed',
});

export const HOST_RUNNER_STUCK = defineError('HOST_RUNNER_STUCK', {
  retry: 'backoff',
  reason: 'HostRunnerStuck',
  text: '{address}: launchd still holds {label} one minute after bootout; retry, and restart the host if the problem persists',
});
