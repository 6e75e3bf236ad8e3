/** What can keep a runner from taking jobs. */
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';

export const HOST_RUNNER_TOKEN_NEEDED = defineError('HOST_RUNNER_TOKEN_NEEDED', {
  retry: 'backoff',
  reason: 'HostRunnerTokenNeeded',
  text: 'the runner {name} on {address} must register at {url} ({difference}) and no registration token was given; get a fresh one from GitHub and run it again, nothing was changed',
});

export const HOST_RUNNER_REGISTRATION_FAILED = defineError('HOST_RUNNER_REGISTRATION_FAILED', {
  retry: 'backoff',
  reason: 'HostRunnerRegistrationFailed',
  text: '{url} does not register the runner {name} of {address}: {words}; an expired token is answered with 404, so try again with a fresh one; what was registered before is still there',
});

export const HOST_RUNNER_NEEDS_SESSION = defineError('HOST_RUNNER_NEEDS_SESSION', {
  retry: 'backoff',
  reason: 'HostRunnerNeedsSession',
  text: '{user} is not logged in at the screen of {address}, and the runner lives in that session; the step auto-login brings it about, nothing was changed',
});

export const HOST_RUNNER_BUSY = defineError('HOST_RUNNER_BUSY', {
  retry: { after: minutes(5) },
  reason: 'HostRunnerBusy',
  text: 'the runner {name} on {address} has taken a job since it was looked at; it is not interrupted, wait until the job is over',
});

export const HOST_RUNNER_ARCHIVE_UNUSABLE = defineError('HOST_RUNNER_ARCHIVE_UNUSABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostRunnerArchiveUnusable',
  text: '{archive} holds no runner for {address} ({words}); give actions-runner-osx-arm64-{version}.tar.gz as GitHub published it, nothing was changed',
});

export const HOST_RUNNER_STUCK = defineError('HOST_RUNNER_STUCK', {
  retry: 'backoff',
  reason: 'HostRunnerStuck',
  text: 'launchd on {address} does not let go of {label} a minute after it was booted out; run it again, and restart the host if this stays',
});
