import { type HostStep, hostReasons } from '@minifleet/api';
import { type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import { describeCauses } from '@minifleet/host';
import type { HostJob } from './jobs/host-job.ts';
import { failureIn, type HostJournal, type JournalFailure, notDone, stepsFor } from './journal.ts';
import type { BootstrapDecision } from './states/bootstrapping.ts';
import type { ServingDecision } from './states/serving.ts';

/** The condition HostBootstrapped, and when to reconcile again without a watch event. */
export interface BootstrapCondition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly again?: Duration;
}

export interface BootstrapConditionInput {
  readonly now: number;
  readonly journal: HostJournal;
  readonly job: HostJob | undefined;
  /** State of the server in the terms of the vendor. */
  readonly vendorState: string;
  readonly bake: string | undefined;
}

const VENDOR_POLL = seconds(30);
const TURN_POLL = seconds(30);
const GUEST_POLL = minutes(1);
const NEXT_RECONCILE = seconds(1);

/** Reasons of failures that are reasons of the condition; other failures are failures of a step. */
const REASON_OF: Readonly<Record<string, string>> = {
  HostIdentityChanged: hostReasons.HostKeyChanged,
  HostUnreachable: hostReasons.HostUnreachable,
  HostStayedUnreachable: hostReasons.HostUnreachable,
  HostConnectionLost: hostReasons.HostUnreachable,
  HostDidNotComeBack: hostReasons.HostUnreachable,
  HostKeyRefused: hostReasons.HostUnreachable,
  BootstrapDeadlineExceeded: hostReasons.BootstrapDeadlineExceeded,
  InternalError: hostReasons.InternalError,
};

/** HostBootstrapped of a host whose first plan is not applied yet. It is False until then. */
export function bootstrappingCondition(
  decision: BootstrapDecision,
  input: BootstrapConditionInput,
): BootstrapCondition {
  const no = (reason: string, message: string, again?: Duration): BootstrapCondition =>
    condition('False', reason, message, again);
  switch (decision.do) {
    case 'wait for the job':
    case 'bootstrap':
      return underWay(input) ?? no(hostReasons.BootstrapRunning, progressOf(input.job));
    case 'record the job':
      return no(hostReasons.BootstrapRunning, 'recording the result', NEXT_RECONCILE);
    case 'wait for the vendor':
      return no(hostReasons.HostUnreachable, `the vendor reports the host as ${input.vendorState}`, VENDOR_POLL);
    case 'restart':
      return no(hostReasons.RestartingHost, 'the provider restarts the host through the vendor', NEXT_RECONCILE);
    case 'reinstall':
      return no(hostReasons.ReinstallingHost, 'the provider reinstalls the host', NEXT_RECONCILE);
    case 'give up':
      return no(hostReasons.StepFailed, `giving up the host: ${messageOf(decision.failure)}`, NEXT_RECONCILE);
    case 'wait for the next attempt':
      return failing(decision.failure, decision.at, input.now);
  }
}

/** HostBootstrapped of a host in service. Only a problem makes it False; work that the provider plans does not. */
export function servingCondition(decision: ServingDecision, input: BootstrapConditionInput): BootstrapCondition {
  const { journal, now, bake } = input;
  const applied = journal.plan?.applied === journal.plan?.desired;
  switch (decision.do) {
    case 'wait for the job':
    case 'roll out':
    case 'repair':
      if (input.job?.kind === 'inspect') return lastResult(journal, now);
      return (
        underWay(input) ??
        (applied
          ? condition('False', hostReasons.DriftFound, differencesOf(journal.steps ?? []))
          : condition('True', hostReasons.BootstrapRunning, progressOf(input.job)))
      );
    case 'inspect':
    case 'record the job':
      return { ...lastResult(journal, now), again: NEXT_RECONCILE };
    case 'wait for the vendor':
      return condition(
        'False',
        hostReasons.HostUnreachable,
        `the vendor reports the host as ${input.vendorState}`,
        VENDOR_POLL,
      );
    case 'wait for the next attempt':
      return failing(decision.failure, decision.at, now);
    case 'wait for its turn':
      return condition('True', hostReasons.PlanOutdated, `a new plan is pending: ${decision.why}`, TURN_POLL);
    case 'wait for VMs to end': {
      const until = bake === undefined ? 'its VMs are gone' : `the builder is idle (${bake})`;
      const held = decision.steps.map(name => `${name} (${messageIn(journal, name)})`).join('; ');
      const message = `postponed until ${until}: ${held}`;
      return applied
        ? condition('False', hostReasons.DriftFound, message, GUEST_POLL)
        : condition('True', hostReasons.PlanOutdated, message, GUEST_POLL);
    }
    case 'nothing':
      return kept(journal, decision.until, now);
  }
}

function condition(
  status: BootstrapCondition['status'],
  reason: string,
  message: string,
  again?: Duration,
): BootstrapCondition {
  return { status, reason, message, ...(again === undefined ? {} : { again }) };
}

/** A plan that failed stays reported during another attempt (I32). */
function underWay({ journal, now }: BootstrapConditionInput): BootstrapCondition | undefined {
  const failure = failureIn(journal);
  return failure && journal.plan?.failed === journal.plan?.desired ? failing(failure, undefined, now) : undefined;
}

/** An inspection repairs nothing, and neither does its result: what was reported before stays reported (I32). */
function lastResult(journal: HostJournal, now: number): BootstrapCondition {
  const failure = failureIn(journal);
  return failure ? failing(failure, undefined, now) : kept(journal, undefined, now);
}

function failing(failure: JournalFailure, at: number | undefined, now: number): BootstrapCondition {
  const usual = failure.state === 'Failed' ? hostReasons.StepFailed : hostReasons.StepWaiting;
  const again = at === undefined ? undefined : milliseconds(Math.max(0, at - now));
  return condition('False', REASON_OF[failure.reason] ?? usual, messageOf(failure), again);
}

const messageOf = ({ step, message = '' }: JournalFailure): string =>
  step === undefined ? message : `step ${step}: ${message}`;

function kept({ steps = [] }: HostJournal, until: number | undefined, now: number): BootstrapCondition {
  const pending = stepsFor(steps, notDone.rebootPending);
  const message = pending.length === 0 ? '' : `active after the next restart: ${pending.join(', ')}`;
  const again = until === undefined ? undefined : milliseconds(Math.max(0, until - now));
  return condition('True', hostReasons.HostBootstrapped, message, again);
}

function progressOf(job: HostJob | undefined): string {
  if (!job) return 'steps are running';
  if (job.state.kind === 'queued') return `queued at position ${job.state.place}`;
  const { step, message } = job.last ?? {};
  if (step !== undefined) return `step ${step}: ${message}`;
  return message ?? 'connecting to the host';
}

const differencesOf = (steps: readonly HostStep[]): string =>
  describeCauses(
    steps.filter(({ state }) => state !== 'Done').map(({ name, message = '' }) => ({ step: name, message })),
  );

const messageIn = ({ steps = [] }: HostJournal, name: string): string =>
  steps.find(step => step.name === name)?.message ?? '';
