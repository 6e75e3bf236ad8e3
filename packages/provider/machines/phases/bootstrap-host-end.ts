import { type HostStep, type machineConditions, machineReasons, type ReasonOf } from '@minifleet/api';
import { type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import { describeCauses } from '@minifleet/host';
import { type Decision, isBootstrapped, type Situation } from '../../host-work/decide-host-work.ts';
import type { Job } from '../../host-work/host-work.ts';
import { failingStep, isOfTheHost, notDone, OF_THE_HOST, stepsFor } from '../../host-work/journal/journal.ts';
import { noted, type PhaseEnd, passed, waiting } from '../phase.ts';

export type BootstrapReason = ReasonOf<typeof machineConditions, 'HostBootstrapped'>;
export type BootstrapEnd = PhaseEnd<BootstrapReason>;

const LOOK_AT_THE_VENDOR = seconds(30);
const LOOK_FOR_A_TURN = seconds(30);
const LOOK_FOR_GUESTS = minutes(1);
const NEXT_PASS = seconds(1);

/** A failure's own reason to the condition's; every other is a step's. */
const REASON_OF: Readonly<Record<string, BootstrapReason>> = {
  HostIdentityChanged: machineReasons.HostKeyChanged,
  HostUnreachable: machineReasons.HostUnreachable,
  HostStayedUnreachable: machineReasons.HostUnreachable,
  HostConnectionLost: machineReasons.HostUnreachable,
  HostDidNotComeBack: machineReasons.HostUnreachable,
  HostKeyRefused: machineReasons.HostUnreachable,
  BootstrapDeadlineExceeded: machineReasons.BootstrapDeadlineExceeded,
  InternalError: machineReasons.InternalError,
};

/** How the phase ends with a decision: what is said of the host, and when it is looked at again. */
export function endOf(decision: Decision, seen: Situation, job: Job | undefined): BootstrapEnd {
  switch (decision.do) {
    case 'wait for the job':
    case 'bootstrap':
    case 'roll':
    case 'repair':
    case 'inspect':
      return underWay(seen, job);
    case 'wait for the vendor':
      return trouble(
        seen,
        machineReasons.HostUnreachable,
        `the vendor reports the host as ${seen.server}`,
        LOOK_AT_THE_VENDOR,
      );
    case 'wait for the next try':
      return failing(seen, decision.step, decision.at);
    case 'announce a restart':
    case 'restart':
      return trouble(seen, machineReasons.RestartingHost, wordsOf(seen.steps, OF_THE_HOST.restart), NEXT_PASS);
    case 'announce a wipe':
    case 'wipe':
      return trouble(seen, machineReasons.ReinstallingHost, wordsOf(seen.steps, OF_THE_HOST.wipe), NEXT_PASS);
    case 'announce giving up':
    case 'give up':
      return trouble(seen, machineReasons.StepFailed, wordsOf(seen.steps, OF_THE_HOST.givingUp), NEXT_PASS);
    case 'wait for its turn':
      return fine(seen, machineReasons.PlanOutdated, `a new plan is pending: ${decision.why}`, LOOK_FOR_A_TURN);
    case 'wait for guests to go':
      return heldBack(seen, decision.steps);
    case 'record the job':
    case 'nothing':
      return kept(seen, decision.do === 'nothing' ? decision.until : undefined);
  }
}

/** What follows from an end that was just written down: what is to be done waits until it is seen to be written. */
export function endAfterRecord(next: Decision, seen: Situation): BootstrapEnd {
  if (next.do.startsWith('wait') || next.do === 'nothing') {
    const end = endOf(next, seen, undefined);
    // What is wanted is noted when nobody runs: another plan came since, or the write that noted this one was lost.
    return seen.plan.desired === seen.desired ? end : { ...end, again: NEXT_PASS };
  }
  const failed = failingStep(seen.steps);
  return { ...(failed ? failing(seen, failed, undefined) : underWay(seen, undefined)), again: NEXT_PASS };
}

/** A host that serves goes on serving whatever we plan to do about it: only what is wrong with it makes the condition False. */
const fine = (seen: Situation, reason: BootstrapReason, message: string, again?: Duration): BootstrapEnd =>
  isBootstrapped(seen) ? passed(reason, message, again) : waiting(reason, message, again);

const trouble = (seen: Situation, reason: BootstrapReason, message: string, again?: Duration): BootstrapEnd =>
  isBootstrapped(seen) ? noted(reason, message, again) : waiting(reason, message, again);

function underWay(seen: Situation, job: Job | undefined): BootstrapEnd {
  const { plan, desired, steps } = seen;
  const failed = failingStep(steps);
  // A look disturbs nothing and promises nothing: what was said before stands.
  if (job?.kind === 'inspect') return failed ? failing(seen, failed, undefined) : kept(seen, undefined);
  // Pinned: trying it again does not make it better (I32).
  if (plan.failed === desired && failed) return failing(seen, failed, undefined);
  if (plan.applied === desired) return trouble(seen, machineReasons.DriftFound, differences(steps));
  return fine(seen, machineReasons.BootstrapRunning, whereIsIt(job));
}

function whereIsIt(job: Job | undefined): string {
  if (!job) return 'steps are running';
  if (job.state.kind === 'queued') return `queued at position ${job.state.place}`;
  const { step, message: words } = job.last ?? {};
  if (step !== undefined) return `step ${step}: ${words}`;
  return words ?? 'connecting to the host';
}

function failing(seen: Situation, step: HostStep, at: number | undefined): BootstrapEnd {
  const usual = step.state === 'Failed' ? machineReasons.StepFailed : machineReasons.StepWaiting;
  const reason = REASON_OF[step.reason ?? ''] ?? usual;
  const message = isOfTheHost(step) ? (step.message ?? '') : `step ${step.name}: ${step.message ?? ''}`;
  return trouble(seen, reason, message, at === undefined ? undefined : milliseconds(Math.max(0, at - seen.now)));
}

function heldBack(seen: Situation, held: readonly string[]): BootstrapEnd {
  const until = seen.bake === undefined ? 'its VMs are gone' : `the builder is idle (${seen.bake})`;
  const message = `postponed until ${until}: ${held.map(name => `${name} (${wordsOf(seen.steps, name)})`).join('; ')}`;
  const drifted = seen.plan.applied === seen.desired;
  return drifted
    ? trouble(seen, machineReasons.DriftFound, message, LOOK_FOR_GUESTS)
    : fine(seen, machineReasons.PlanOutdated, message, LOOK_FOR_GUESTS);
}

function kept(seen: Situation, until: number | undefined): BootstrapEnd {
  const pending = stepsFor(seen.steps, notDone.rebootPending);
  const message = pending.length === 0 ? '' : `active after the next restart: ${pending.join(', ')}`;
  const again = until === undefined ? undefined : milliseconds(Math.max(0, until - seen.now));
  return fine(seen, machineReasons.HostBootstrapped, message, again);
}

const differences = (steps: readonly HostStep[]): string =>
  describeCauses(
    steps
      .filter(step => !isOfTheHost(step) && step.state !== 'Done')
      .map(({ name, message = '' }) => ({ step: name, message })),
  );

const wordsOf = (steps: readonly HostStep[], name: string): string =>
  steps.find(step => step.name === name)?.message ?? '';
