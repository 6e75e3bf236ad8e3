/** For tests of whatever works on hosts. */

/** Single steps, for the incidents in packages/dev/incidents. */
export { type Finding, planStep } from '../engine/step.ts';
export { type ActionsRunnerSettings, actionsRunner } from '../steps/actions-runner/actions-runner.ts';
export { agentBinary } from '../steps/agent-binary/agent-binary.ts';
export { agentJob } from '../steps/agent-job/agent-job.ts';
export { agentArtifact, agentWant, slotFor } from '../steps/agent-job/testing/agent-host.ts';
export { autoLogin } from '../steps/auto-login/auto-login.ts';
export { buildCache } from '../steps/build-cache/build-cache.ts';
export { builderTools } from '../steps/builder-tools/builder-tools.ts';
export { sudo } from '../steps/sudo/sudo.ts';
export { DEFAULT_BLOCKED, DEFAULT_GUESTS } from '../steps/vm-egress/egress-spec.ts';
export { vmEgress } from '../steps/vm-egress/vm-egress.ts';
export { type Canary, createCanary, type Planted, unique } from './canary/canary.ts';
export { type Sabotage, sabotaged, sabotages } from './canary/sabotage.ts';
export * from './converge-step.ts';
export { type Unpacked, unpackDebian } from './debian-package.ts';
export { killedAtEveryCommand, type Victim } from './killed-at-every-command.ts';
export { addedTraces, macTraces } from './mac-traces.ts';
export * from './mac-transport.ts';
export { type OpenSshServer, type OpenSshServerOptions, startOpenSshServer } from './open-ssh-server.ts';
export * from './test-host.ts';
