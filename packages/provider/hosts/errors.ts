import { defineError } from '@minifleet/errors';

export const HOST_JOB_DEADLINE_EXCEEDED = defineError('HOST_JOB_DEADLINE_EXCEEDED', {
  retry: 'backoff',
  reason: 'BootstrapDeadlineExceeded',
  text: '{host}: bootstrap exceeded {deadline} at step {step} and was cancelled; the next attempt resumes there',
});

export const HOST_WITHOUT_ADDRESS = defineError('HOST_WITHOUT_ADDRESS', {
  retry: 'backoff',
  reason: 'HostUnreachable',
  text: '{host}: the vendor reports no address yet; retrying',
});

export const BUILDER_MATERIAL_MISSING = defineError('BUILDER_MATERIAL_MISSING', {
  retry: 'operator',
  reason: 'BuilderMaterialMissing',
  text: '{machine}: spec.ghActionsRunner is set, but the provider has no builder settings; add builder to its fleet file and restart it',
});

export const BUILDER_RUNNER_OUTDATED = defineError('BUILDER_RUNNER_OUTDATED', {
  retry: 'operator',
  reason: 'BuilderMaterialMissing',
  text: '{machine}: spec.ghActionsRunner.ghRunnerVersion is {asked}, but the archive in the fleet file has {version}; provide actions-runner-osx-arm64-{asked}.tar.gz, or lower ghRunnerVersion',
});
