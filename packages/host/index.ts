/** A Mac as we want it: transport, steps, plans, ledger. It knows no Kubernetes. */

export { createRedactor, type Redactor, Secret } from '@minifleet/secret';
export { converge } from './engine/converge.ts';
export { type BeforeWorkOptions, convergeBeforeWork } from './engine/converge-before-work.ts';
export {
  type Attempts,
  type ConvergeOptions,
  type ConvergeOutcome,
  type ConvergeReport,
  WHOLE_HOST,
} from './engine/converge-report.ts';
export * from './engine/errors.ts';
export { fingerprintOf } from './engine/fingerprint.ts';
export { inspectPlan } from './engine/inspect-plan.ts';
export type { JournalEntry, JournalKind } from './engine/journal.ts';
export { LEASE_STALE_AFTER } from './engine/lease-answer.ts';
export { LEDGER_PATH, type Ledger, type LedgerStep, readLedger } from './engine/ledger.ts';
export { createPlan, type Plan } from './engine/plan.ts';
export { type LeaseSeen, readLease } from './engine/read-lease.ts';
export * from './engine/step.ts';
export type { StepReport, StepState } from './engine/step-report.ts';
export * from './errors.ts';
export * from './host.ts';
export * from './launchd/errors.ts';
export { type PropertyValue, renderPropertyList } from './launchd/property-list.ts';
export { type OpenHostOptions, openHost } from './open-host.ts';
export { AGENT_DIRECTORIES } from './plan/agent-steps.ts';
export { fileArtifact } from './plan/file-artifact.ts';
export { hostPlan, PRIVATE_NETWORKS } from './plan/host-plan.ts';
export * from './plan/host-spec.ts';
export { TAKES_WORK } from './plan/takes-work.ts';
export { type ActionsRunner, actionsRunner } from './steps/actions-runner/actions-runner.ts';
export * from './steps/actions-runner/errors.ts';
export { isOlder as isOlderRunner } from './steps/actions-runner/is-older.ts';
export { type AgentBinary, agentBinary } from './steps/agent-binary/agent-binary.ts';
export { type AgentCredentials, agentCredentials } from './steps/agent-credentials/agent-credentials.ts';
export * from './steps/agent-credentials/errors.ts';
export { agentJob } from './steps/agent-job/agent-job.ts';
export { AGENT_LABEL, type AgentJob } from './steps/agent-job/agent-want.ts';
export * from './steps/agent-job/errors.ts';
export { type AutoLoginWant, autoLogin } from './steps/auto-login/auto-login.ts';
export { readAutoLogin } from './steps/auto-login/auto-login-state.ts';
export * from './steps/auto-login/errors.ts';
export { isSealed } from './steps/auto-login/kcpassword.ts';
export { restartLoginWindow } from './steps/auto-login/restart-login-window.ts';
export { type BuildCache, buildCache } from './steps/build-cache/build-cache.ts';
export { type BuilderTools, builderTools } from './steps/builder-tools/builder-tools.ts';
export * from './steps/builder-tools/errors.ts';
export * from './steps/guest-dhcp-lease/errors.ts';
export { type GuestDhcpLeaseWant, guestDhcpLease } from './steps/guest-dhcp-lease/guest-dhcp-lease.ts';
export { type Homebrew, homebrew } from './steps/homebrew/homebrew.ts';
export * from './steps/hostname/errors.ts';
export { type HostnameWant, hostname } from './steps/hostname/hostname.ts';
export { ALLOW_LIST_DOMAIN, ALLOW_LIST_KEYS } from './steps/local-network/allow-list-state.ts';
export * from './steps/local-network/errors.ts';
export { isNetwork } from './steps/local-network/is-network.ts';
export { type LocalNetworkWant, localNetwork } from './steps/local-network/local-network.ts';
export { type LogRotation, logRotation } from './steps/log-rotation/log-rotation.ts';
export { type NeverSleepWant, neverSleep } from './steps/never-sleep/never-sleep.ts';
export * from './steps/sudo/errors.ts';
export { type SudoWant, sudo } from './steps/sudo/sudo.ts';
export * from './steps/tart/errors.ts';
export { type Tart, tart } from './steps/tart/tart.ts';
export * from './steps/vm-egress/errors.ts';
export { vmEgress } from './steps/vm-egress/vm-egress.ts';
export { DEFAULT_BLOCKED, DEFAULT_GUESTS, type VmEgressWant } from './steps/vm-egress/want.ts';
export * from './steps/xcode/errors.ts';
export { type Xcode, xcode } from './steps/xcode/xcode.ts';
export * from './transport/errors.ts';
export { openSshTransport, type SshTransportOptions } from './transport/ssh-transport.ts';
export type { Argv, Command, Outcome, Transport } from './transport/transport.ts';
export { untilReachable } from './transport/until-reachable.ts';
