/** Internals of packages/host/steps that tests, benchmarks and generators of other packages use. */
export { artifactOf } from '../steps/actions-runner/testing/artifact.ts';
export { takeJob } from '../steps/actions-runner/testing/runner-host.ts';
export { agentHost } from '../steps/agent-job/testing/agent-host.ts';
export { encodePassword } from '../steps/auto-login/password.ts';
