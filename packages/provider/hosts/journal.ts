import { isDeepStrictEqual } from 'node:util';
import type { HostContact, HostStep, MacHostStatus } from '@minifleet/api';
import { type Attempts, WHOLE_HOST } from '@minifleet/host';

const FIELDS = ['plan', 'steps', 'currentStep', 'job', 'contact'] as const;

/** Part of the status of a host that records the work on it. */
export type HostJournal = Readonly<Pick<MacHostStatus, (typeof FIELDS)[number]>>;

/** A step before the time of its last transition is known. */
export type StepUpdate = Omit<HostStep, 'lastTransitionTime'>;

export function journalOf(status: MacHostStatus | undefined): HostJournal {
  const { plan, steps, currentStep, job, contact } = status ?? {};
  return {
    ...(plan ? { plan } : {}),
    ...(steps ? { steps } : {}),
    ...(currentStep === undefined ? {} : { currentStep }),
    ...(job ? { job } : {}),
    ...(contact ? { contact } : {}),
  };
}

/** Replaces the journal in a status. */
export function writeJournal(status: MacHostStatus, journal: HostJournal): void {
  for (const field of FIELDS) delete status[field];
  Object.assign(status, journal);
}

export const isSameJournal = (one: HostJournal, other: HostJournal): boolean => isDeepStrictEqual(one, other);

/** Reasons of a step that did not fail and is not done. */
export const notDone = {
  /** It would stop VMs that run. */
  heldBack: 'HeldBack',
  /** Written, in effect after the next boot. */
  rebootPending: 'RebootPending',
  /** An inspection found a difference. */
  drift: 'DriftFound',
  /** An earlier step failed, or the job was stopped. */
  notReached: 'NotReached',
} as const;

const NOT_FAILED: ReadonlySet<string | undefined> = new Set(Object.values(notDone));

export const isFailing = (step: HostStep): boolean =>
  (step.state === 'Waiting' || step.state === 'Failed') && !NOT_FAILED.has(step.reason);

/** A failure of a step, or of the connection to the host. */
export interface JournalFailure extends Pick<HostContact, 'state' | 'attempts' | 'nextAttemptTime' | 'message'> {
  /** Absent for a failure that belongs to no step. */
  readonly step?: string;
  readonly reason: string;
}

/** The current failure. A host that does not respond is newer than what a step reported when it did. */
export function failureIn({ contact, steps = [] }: HostJournal): JournalFailure | undefined {
  if (contact) return contact;
  const step = steps.find(isFailing);
  if (!step) return undefined;
  const { name, state, attempts, nextAttemptTime, message, reason = '' } = step;
  return {
    step: name,
    state: state === 'Failed' ? 'Failed' : 'Waiting',
    reason,
    ...(attempts === undefined ? {} : { attempts }),
    ...(nextAttemptTime === undefined ? {} : { nextAttemptTime }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Names of the steps that wait for this reason. */
export const stepsFor = (steps: readonly HostStep[], reason: string): string[] =>
  steps.filter(step => step.state === 'Waiting' && step.reason === reason).map(({ name }) => name);

/** Consecutive failures of the connection and of each step, with which the next job starts. */
export const attemptsOf = ({ contact, steps = [] }: HostJournal): Attempts =>
  Object.fromEntries(
    [...(contact ? [{ ...contact, name: WHOLE_HOST }] : []), ...steps].flatMap(({ name, attempts }) =>
      attempts ? [[name, attempts] as const] : [],
    ),
  );

/** Replaces steps of the same name and appends new ones. */
export function withSteps(steps: readonly HostStep[], updates: readonly StepUpdate[], at: string): HostStep[] {
  const byName = new Map(steps.map(step => [step.name, step]));
  for (const update of updates) {
    const known = byName.get(update.name);
    const lastTransitionTime = known?.state === update.state ? known.lastTransitionTime : at;
    // A step that changed nothing this time keeps the duration of its last change.
    const last = known?.state === 'Done' && update.state === 'Done' ? known : {};
    byName.set(update.name, { ...last, ...update, lastTransitionTime });
  }
  return [...byName.values()];
}

const MAX_MESSAGE = 2048;

/** Cuts a message to the bound of the schema. */
export const truncated = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
