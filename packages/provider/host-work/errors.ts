/** What keeps a job from its report, beside the host's own errors. */
import { defineError } from '@minifleet/errors';

export const HOST_JOB_DEADLINE_EXCEEDED = defineError('HOST_JOB_DEADLINE_EXCEEDED', {
  retry: 'backoff',
  reason: 'BootstrapDeadlineExceeded',
  text: 'the run on {host} did not end within {deadline} and was cancelled at step {step}; it goes on there at the next try',
});

export const HOST_WITHOUT_ADDRESS = defineError('HOST_WITHOUT_ADDRESS', {
  retry: 'backoff',
  reason: 'HostUnreachable',
  text: 'the vendor shows no address for {host} yet; it is looked at again, nothing is to be done unless this lasts',
});

export const BUILDER_MATERIAL_MISSING = defineError('BUILDER_MATERIAL_MISSING', {
  retry: 'operator',
  reason: 'BuilderMaterialMissing',
  text: '{machine} is to be a builder (spec.ghActionsRunner) and this provider was given nothing to make one with; start it with a builder in its fleet settings',
});

export const BUILDER_RUNNER_OUTDATED = defineError('BUILDER_RUNNER_OUTDATED', {
  retry: 'operator',
  reason: 'BuilderMaterialMissing',
  text: '{machine} asks for runner {asked} (spec.ghActionsRunner.ghRunnerVersion) and the archive in the fleet settings is {version}; give the provider actions-runner-osx-arm64-{asked}.tar.gz, or ask for what it has',
});
