import type { DesiredHost, HostState, MacHost, MachineAddress } from '@minifleet/api';
import { type Duration, minutes, timestamp } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import {
  type Disturbance,
  fingerprintOf,
  HOST_KEY_REFUSED,
  HOST_PASSWORD_SEALED,
  HOST_PASSWORD_WRONG,
  HOST_SUDO_PASSWORD_WRONG,
} from '@minifleet/host';
import { findCondition } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import { timeUntilRejoin } from '../cluster-api/lost-node.ts';
import type { FleetSshKey, HostAccess } from '../credentials/credentials.ts';
import { type DesiredPlan, desiredPlan } from './desired-plan.ts';
import { ensureCredentials } from './ensure-credentials.ts';
import { HOST_WITHOUT_ADDRESS } from './errors.ts';
import { withFailure } from './failure-record.ts';
import type { HandlerDeps, HostScope, StateResult } from './host-scope.ts';
import { type HostJob, isOver, type JobRequest, type SshAddress } from './jobs/host-job.ts';
import { withProgress, withResult } from './jobs/record-job.ts';
import {
  attemptsOf,
  failureIn,
  type HostJournal,
  isFailing,
  isSameJournal,
  journalOf,
  notDone,
  stepsFor,
  writeJournal,
} from './journal.ts';

/** Everything that a job on a host needs. */
export interface HostWork {
  readonly desired: DesiredHost;
  readonly access: HostAccess;
  readonly fleetKey: FleetSshKey;
  readonly plan: DesiredPlan;
  /** Absent once the Node exists, unless its agent may have to join again. */
  readonly kubeconfig: Secret | undefined;
  /** Job of this process whose result is not written yet. */
  readonly job: HostJob | undefined;
}

/** Collects credentials, computes the desired plan and records it. Undefined if credentials are missing. */
export async function prepareWork(scope: HostScope, deps: HandlerDeps): Promise<HostWork | undefined> {
  const { host, consumer, server, cluster } = scope;
  const { desired } = host.spec;
  if (!consumer || !desired || !server) throw new Error('work on a host needs its machine, configuration and server');
  const login = await ensureCredentials(scope, server, deps);
  if (!login) return undefined;
  const { access, fleetKey } = login;
  const hasCredentials = isJoined(scope) && rejoinIn(scope, deps) !== 0;
  const kubeconfig = hasCredentials ? undefined : await deps.kubeconfig(consumer, cluster);
  const runnerUrl = desired.ghActionsRunner && deps.forge.url(desired.ghActionsRunner);
  const plan = desiredPlan({ host, desired, fleet: deps.settings.fleet, access, kubeconfig, runnerUrl });
  const job = unrecordedJob(scope, deps);
  if (!job) change(scope, journal => withDesired(journal, plan));
  return { desired, access, fleetKey, plan, kubeconfig, job };
}

const isJoined = ({ host, node }: HostScope): boolean =>
  node !== undefined && node.spec?.providerID === host.spec.desired?.providerID;

/** Time until the agent gets a bootstrap token, because its Node reports nothing; undefined for a Node that reports. */
export const rejoinIn = (scope: HostScope, { clock, settings }: HandlerDeps): Duration | undefined =>
  isJoined(scope) ? timeUntilRejoin(scope.node, { now: clock.now(), after: settings.rejoinAfter }) : undefined;

const CREDENTIALS_POLL = minutes(5);

/** A Secret that an operator corrects is not watched, and neither is the vendor. */
export function missingCredentials(state: HostState, host: MacHost): StateResult {
  const { reason, message } = findCondition(host, 'CredentialsReady') ?? {};
  return { ready: false, reason: 'NotReady', message: `${state}: ${reason}: ${message}`, again: CREDENTIALS_POLL };
}

const change = ({ host }: HostScope, by: (journal: HostJournal) => HostJournal): void => {
  host.status ??= {};
  writeJournal(host.status, by(journalOf(host.status)));
};

/** The job of the host, unless its result is in the status that the API server returned. */
function unrecordedJob(scope: HostScope, deps: HandlerDeps): HostJob | undefined {
  const job = deps.jobs.of(scope.host.metadata.name);
  if (!job || !isOver(job)) return job;
  const journal = journalOf(scope.host.status);
  if (!isSameJournal(journal, withResult(journal, job, recordOptions(scope, deps)))) return job;
  deps.jobs.forget(job.host);
  return undefined;
}

const recordOptions = (
  { host }: HostScope,
  { settings }: HandlerDeps,
): { readonly serves: boolean; readonly retryAfter: Duration } => ({
  serves: host.status?.servedSince !== undefined,
  retryAfter: settings.rolls.retryAfter,
});

/**
 * Records the desired plan. Failures of another plan are forgotten, except of steps whose desired value did not change; steps that are no
 * longer in the plan are removed.
 */
export function withDesired(journal: HostJournal, { plan, desired }: DesiredPlan): HostJournal {
  const fingerprints = new Map(plan.steps.map(step => [step.id, fingerprintOf(step)]));
  const isAnother = journal.plan?.desired !== desired;
  const steps = (journal.steps ?? []).filter(step => {
    if (!fingerprints.has(step.name)) return false;
    if (!isAnother || step.state === 'Done') return true;
    return isFailing(step) && step.fingerprint === fingerprints.get(step.name);
  });
  return { ...journal, steps, plan: { ...journal.plan, desired } };
}

export const showProgress = (scope: HostScope, job: HostJob): void =>
  change(scope, journal => withProgress(journal, job));

export interface WorkRequest extends Pick<JobRequest, 'kind' | 'only' | 'mayReboot' | 'finalSteps'> {
  readonly allow: Disturbance;
  readonly reboot: 'never' | 'when needed';
}

const RUNNER_STEP = 'actions-runner';

/**
 * Adds a registration token to the plan of a builder, if the job may register its runner. The token is requested first, because nothing
 * may be awaited between a decision and the start of its job.
 */
export async function withRunnerToken(
  scope: HostScope,
  work: HostWork,
  only: readonly string[] | undefined,
  deps: HandlerDeps,
): Promise<HostWork> {
  const { host } = scope;
  const { desired, access, kubeconfig } = work;
  const { ghActionsRunner: runner } = desired;
  if (!runner || (only && !only.includes(RUNNER_STEP))) return work;
  const runnerToken = await deps.forge.token(host.spec.consumerRef?.namespace ?? '', runner);
  const runnerUrl = deps.forge.url(runner);
  const plan = desiredPlan({ host, desired, fleet: deps.settings.fleet, access, kubeconfig, runnerUrl, runnerToken });
  return { ...work, plan };
}

/** Address for SSH: of the tunnel, if the host is behind one. Other programs reach the host at its own addresses only. */
export function sshAddressOf({ host, server }: HostScope, deps: HandlerDeps): SshAddress | undefined {
  const tunnel = deps.sshAddress(host.metadata.name);
  if (tunnel || server?.address === undefined) return tunnel;
  return { address: server.address, port: server.sshPort ?? 22 };
}

/** Starts a job and shows it in the status. Synchronous, so that concurrent reconciles see this host as busy. */
export function startJob(scope: HostScope, work: HostWork, request: WorkRequest, deps: HandlerDeps): HostJob {
  const { host } = scope;
  const address = sshAddressOf(scope, deps);
  if (!address) throw HOST_WITHOUT_ADDRESS({ host: host.metadata.name });
  const job = deps.jobs.start({
    ...request,
    host,
    address,
    access: work.access,
    fleetKey: work.fleetKey,
    kubeconfig: work.kubeconfig,
    plan: work.plan.plan,
    desired: work.plan.desired,
    attempts: attemptsOf(journalOf(host.status)),
  });
  showProgress(scope, job);
  return job;
}

const PASSWORD_REJECTED: ReadonlySet<string> = new Set(
  [HOST_SUDO_PASSWORD_WRONG, HOST_PASSWORD_WRONG, HOST_PASSWORD_SEALED].map(({ code }) => code),
);

/**
 * Records the result of a job. Credentials come first: a process that dies in between must not try a rejected password again or trust
 * another host key.
 */
export async function recordResult(
  scope: HostScope,
  { access }: HostWork,
  job: HostJob,
  deps: HandlerDeps,
): Promise<void> {
  const { host } = scope;
  const { state } = job;
  const error = errorOf(job);
  const shown = state.kind === 'converged' || state.kind === 'failed' ? state.hostKey : undefined;
  // A host shows its key before it rejects that of the fleet. A pinned key means that it accepted the fleet once and is never reinstalled.
  if (shown !== undefined && !access.hostKey && error?.code !== HOST_KEY_REFUSED.code)
    await deps.credentials.pin(host, shown);
  if (error && job.password && PASSWORD_REJECTED.has(error.code))
    await deps.credentials.passwordRejected(host, job.password);
  const before = journalOf(host.status);
  const after = withResult(before, job, recordOptions(scope, deps));
  reportResult(scope, job, { before, after }, deps);
  change(scope, () => after);
  host.status ??= {};
  const { status } = host;
  const served = after.plan?.applied !== undefined;
  if (served && status.servedSince === undefined) {
    status.servedSince = timestamp(job.heartbeatAt);
    delete status.remedies;
    delete status.failures;
  }
  if (state.kind === 'converged' && state.addresses.length > 0)
    status.addresses = withInternal(status.addresses, state.addresses);
}

function errorOf({ state }: HostJob): CataloguedError | undefined {
  if (state.kind === 'converged') return state.report.error;
  return state.kind === 'failed' && state.error instanceof CataloguedError ? state.error : undefined;
}

/** Addresses that the host reports, in addition to those of the vendor. */
export function withInternal(
  before: readonly MachineAddress[] | undefined,
  addresses: readonly string[],
): MachineAddress[] {
  const others = (before ?? []).filter(({ type }) => type !== 'InternalIP');
  const own = addresses.filter(address => !others.some(other => other.address === address));
  return [...others, ...own.map(address => ({ type: 'InternalIP', address }) as const)];
}

interface JournalChange {
  readonly before: HostJournal;
  readonly after: HostJournal;
}

/** One event per result. Nothing is reported for an inspection without a finding. */
function reportResult(
  { host }: HostScope,
  job: HostJob,
  { before, after }: JournalChange,
  { events }: HandlerDeps,
): void {
  const record = (type: 'Normal' | 'Warning', reason: string, note: string): void =>
    events.record({ regarding: host, type, reason, action: 'Bootstrap', note });
  const failure = failureIn(after);
  const drifted = stepsFor(after.steps ?? [], notDone.drift);
  const applied = before.plan?.applied;
  if (failure) {
    const { step = 'host', message = '' } = failure;
    record('Warning', failure.state === 'Failed' ? 'StepFailed' : 'StepWaiting', `${step}: ${message}`);
  } else if (drifted.length > 0) {
    record('Warning', 'DriftFound', `drifted steps: ${drifted.join(', ')}`);
  } else if (job.kind === 'converge' && applied !== undefined && after.plan?.applied === job.plan) {
    const rolled = applied !== job.plan;
    record('Normal', rolled ? 'Rolled' : 'Repaired', rolled ? 'the new plan is applied' : 'the drift is repaired');
  }
}

/** Adds the failure because of which a host is given up to its record. */
export function recordFailure({ host }: HostScope, { clock }: HandlerDeps): void {
  const { step = 'host', reason, message = '' } = failureIn(journalOf(host.status)) ?? { reason: 'StepFailed' };
  const failures = withFailure(host.status?.failures ?? [], { step, reason, message }, clock.now());
  host.status = { ...host.status, failures };
}
