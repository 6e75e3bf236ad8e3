/** A Mac as we want it: transport, steps, plans, ledger. It knows no Kubernetes. */
export { converge } from './engine/converge.ts';
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
export { type OpenHostOptions, openHost } from './open-host.ts';
export { fileArtifact } from './plan/file-artifact.ts';
export { hostPlan } from './plan/host-plan.ts';
export * from './plan/host-spec.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { Secret } from './secret.ts';
export { readAutoLogin } from './steps/auto-login/auto-login-state.ts';
export { isSealed } from './steps/auto-login/kcpassword.ts';
export * from './transport/errors.ts';
export { openSshTransport, type SshTransportOptions } from './transport/ssh-transport.ts';
export type { Argv, Command, Outcome, Transport } from './transport/transport.ts';
export { untilReachable } from './transport/until-reachable.ts';
