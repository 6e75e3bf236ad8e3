/** Host management of a Mac: transport, steps, plans, ledger. Independent of Kubernetes. */

export { createRedactor, type Redactor, Secret } from '@minifleet/secret';
export { fileArtifact } from './artifact.ts';
export { converge, convergeBeforeWork } from './engine/converge.ts';
export { inspectPlan } from './engine/inspect.ts';
export { LEASE_STALE_AFTER, type LeaseStatus, readLease } from './engine/lease.ts';
export { type Ledger, readLedger } from './engine/ledger.ts';
export { createPlan, fingerprintOf, type Plan } from './engine/plan.ts';
export {
  type Attempts,
  type ConvergeOptions,
  type ConvergeReport,
  describeCauses,
  groupByCause,
  type SharedCause,
  type StepMessage,
  type StepReport,
  type StepState,
  stepMessages,
  WHOLE_HOST,
} from './engine/report.ts';
export type { JournalEntry, JournalKind } from './engine/run.ts';
export { type Disturbance, disturbances, type PlannedStep } from './engine/step.ts';
export * from './errors.ts';
export { FILE_VAULT_OFF, readFileVault } from './file-vault.ts';
export * from './host.ts';
export { HOST_JOB_NOT_GONE, HOST_JOB_REFUSED } from './launchd/daemon-script.ts';
export { type PropertyValue, renderPropertyList } from './launchd/property-list.ts';
export { openHost } from './open-host.ts';
export { hostPlan, PRIVATE_NETWORKS, WORKLOAD_STEPS } from './plan/host-plan.ts';
export * from './plan/host-spec.ts';
export { quiescePlan, releasePlan } from './plan/leaving-plan.ts';
export { hasAccess, removeAccess } from './steps/access/remove-access.ts';
export * from './steps/actions-runner/errors.ts';
export { isOlder as isOlderRunner } from './steps/actions-runner/runner-differences.ts';
export { HOST_CREDENTIALS_EMPTY } from './steps/agent-credentials/agent-credentials.ts';
export { AGENT_DIRECTORIES } from './steps/agent-data/agent-data.ts';
export { AGENT_LABEL } from './steps/agent-job/agent-launchd-job.ts';
export {
  HOST_AGENT_NOT_STABLE,
  HOST_AGENT_PROGRAM_MISSING,
  HOST_AGENT_PROGRAM_REPLACED,
} from './steps/agent-job/roll-agent.ts';
export { authorizedKeyStep, HOST_PUBLIC_KEY_INVALID } from './steps/authorized-key/authorized-key.ts';
export { restartLoginWindow } from './steps/auto-login/auto-login.ts';
export { readAutoLogin } from './steps/auto-login/auto-login-state.ts';
export * from './steps/auto-login/errors.ts';
export { isSealed } from './steps/auto-login/password.ts';
export {
  HOST_FORMULA_UNAVAILABLE,
  HOST_HOMEBREW_MISSING,
  HOST_TOOLS_IN_USE,
} from './steps/builder-tools/builder-tools.ts';
export { HOST_LEASE_INVALID } from './steps/guest-dhcp-lease/guest-dhcp-lease.ts';
export { HOST_NAME_INVALID } from './steps/hostname/hostname.ts';
export {
  ALLOW_LIST_DOMAIN,
  ALLOW_LIST_KEYS,
  HOST_ALLOW_LIST_INVALID,
  isNetwork,
  localNetwork,
} from './steps/local-network/local-network.ts';
export {
  HOST_ACCOUNT_LOCKED,
  HOST_PASSWORD_UNUSABLE,
  HOST_SUDO_NOT_ALLOWED,
  HOST_SUDO_PASSWORD_WRONG,
  HOST_USER_NAME_INVALID,
} from './steps/sudo/account.ts';
export { HOST_TART_ARCHIVE_UNUSABLE, HOST_TART_IN_USE } from './steps/tart/tart.ts';
export * from './steps/vm-egress/errors.ts';
export { HOST_XCODE_MISSING } from './steps/xcode/xcode.ts';
export { openSshKey, SEED_BYTES } from './transport/open-ssh-key.ts';
export { openSshTransport, type SshTransportOptions } from './transport/ssh-transport.ts';
export type { Argv, Command, CommandOutcome, HostTransport } from './transport/transport.ts';
export { untilReachable } from './transport/until-reachable.ts';
