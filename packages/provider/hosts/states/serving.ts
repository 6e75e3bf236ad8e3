import type { HostStep } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';
import { failureIn, type HostJournal, type JournalFailure, notDone, stepsFor } from '../journal.ts';
import type { RolloutPermission } from '../rollout.ts';

export interface ServingInput {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Fingerprint of the desired plan. */
  readonly desired: string;
  readonly journal: HostJournal;
  /** Job of this process; `ended` until its result is written. */
  readonly job: 'none' | 'queued' | 'running' | 'ended';
  readonly server: Server['state'];
  /** VMs on the host, as far as the cluster knows; a bake counts as one. */
  readonly guests: number;
  /** Job of a builder's runner, or a VM that an operator runs on a builder. */
  readonly bake: string | undefined;
  /** A boot disturbs no VM now: none runs, and no new one can start. */
  readonly mayBoot: boolean;
  readonly permission: RolloutPermission;
  /** The agent may have lost its credentials, and gets a new bootstrap token. */
  readonly rejoins: boolean;
  /** Time of the next inspection; undefined for never. */
  readonly inspectAt: number | undefined;
}

export type ServingDecision =
  | { readonly do: 'wait for the job' | 'record the job' | 'wait for the vendor' | 'roll out' | 'inspect' }
  /** `boots`: the change is written and takes effect at a boot. Without `only`, the whole plan is repaired. */
  | { readonly do: 'repair'; readonly only: readonly string[] | undefined; readonly boots?: true }
  /** Without `at`, only another plan or an operator helps. */
  | { readonly do: 'wait for the next attempt'; readonly failure: JournalFailure; readonly at: number | undefined }
  | { readonly do: 'wait for its turn'; readonly why: string }
  | { readonly do: 'wait for VMs to end'; readonly steps: readonly string[] }
  | { readonly do: 'nothing'; readonly until: number | undefined };

const REJOIN_STEPS = ['agent-credentials', 'agent-job'];

/** A step that fails alone this often may need an earlier step, so the whole plan is repaired. */
const MAX_ALONE = 3;

/** Next action on a host in service. One action at a time; the next reconcile observes its result. */
export function decideServing(input: ServingInput): ServingDecision {
  const { job, journal, server, now, desired } = input;
  if (job === 'queued' || job === 'running') return { do: 'wait for the job' };
  if (job === 'ended') return { do: 'record the job' };
  if (server !== 'ready') return { do: 'wait for the vendor' };
  const applied = journal.plan?.applied === desired;
  // A job died with its process. It had its turn, and may have left a step half done.
  if (journal.job) return applied ? { do: 'repair', only: undefined } : { do: 'roll out' };
  const failure = failureIn(journal);
  const at = failure?.nextAttemptTime === undefined ? undefined : Date.parse(failure.nextAttemptTime);
  if (input.rejoins && hasAgent(input) && mayRespond(failure, at, now)) return { do: 'repair', only: REJOIN_STEPS };
  if (failure && (at === undefined || at > now)) return { do: 'wait for the next attempt', failure, at };
  return applied ? keep(input) : rollOut(input);
}

/** The agent of the desired plan is installed; the rest of the plan may wait for VMs. */
const hasAgent = ({ journal, desired }: ServingInput): boolean =>
  journal.plan?.applied === desired || stepsFor(journal.steps ?? [], notDone.heldBack).length > 0;

/**
 * False while a host that did not respond is waited for. A failed step is no reason to wait: without credentials the agent exits, and its
 * job fails until it has them.
 */
const mayRespond = (failure: JournalFailure | undefined, at: number | undefined, now: number): boolean =>
  failure === undefined || failure.step !== undefined || (at !== undefined && at <= now);

/** The plan is applied: repairs differences, and inspects the host periodically. */
function keep({ journal, now, guests, mayBoot, inspectAt }: ServingInput): ServingDecision {
  const steps = journal.steps ?? [];
  const broken = steps.filter(isBroken);
  if (broken.length > 0) {
    const alone = broken.every(({ attempts = 0 }) => attempts < MAX_ALONE);
    return { do: 'repair', only: alone ? broken.map(({ name }) => name) : undefined };
  }
  if (journal.contact) return { do: 'inspect' };
  const held = stepsFor(steps, notDone.heldBack);
  if (held.length > 0) {
    return guests > 0 || !isDue(steps, now) ? { do: 'wait for VMs to end', steps: held } : { do: 'repair', only: held };
  }
  const pending = stepsFor(steps, notDone.rebootPending);
  if (pending.length > 0 && mayBoot) return { do: 'repair', only: pending, boots: true };
  if (inspectAt !== undefined && inspectAt <= now) return { do: 'inspect' };
  return { do: 'nothing', until: inspectAt };
}

const isBroken = (step: HostStep): boolean =>
  step.state !== 'Done' && step.reason !== notDone.heldBack && step.reason !== notDone.rebootPending;

/** Another plan is desired. A bake is hours of work, and the tools that it uses stay as they are until it ends. */
function rollOut({ journal, now, guests, bake, permission }: ServingInput): ServingDecision {
  if (bake !== undefined) return { do: 'wait for its turn', why: bake };
  const steps = journal.steps ?? [];
  const held = stepsFor(steps, notDone.heldBack);
  if (held.length > 0) {
    return guests > 0 || !isDue(steps, now) ? { do: 'wait for VMs to end', steps: held } : { do: 'roll out' };
  }
  return permission.go ? { do: 'roll out' } : { do: 'wait for its turn', why: permission.why };
}

/** A step that was held back is not retried before its time. */
function isDue(steps: readonly HostStep[], now: number): boolean {
  const time = steps.find(({ reason }) => reason === notDone.heldBack)?.nextAttemptTime;
  return time === undefined || Date.parse(time) <= now;
}
