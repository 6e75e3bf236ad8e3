import { isDeepStrictEqual } from 'node:util';
import type { HostStep, ScalewayAppleSiliconMachine, ScalewayAppleSiliconMachineStatus } from '@minifleet/api';
import { type Attempts, WHOLE_HOST } from '@minifleet/host';

const FIELDS = ['plan', 'steps', 'currentStep', 'job'] as const;

/** What a machine's status tells of the work on its host. */
export type HostJournal = Readonly<Pick<ScalewayAppleSiliconMachineStatus, (typeof FIELDS)[number]>>;

export function journalOf(status: ScalewayAppleSiliconMachineStatus | undefined): HostJournal {
  const { plan, steps, currentStep, job } = status ?? {};
  return {
    ...(plan ? { plan } : {}),
    ...(steps ? { steps } : {}),
    ...(currentStep === undefined ? {} : { currentStep }),
    ...(job ? { job } : {}),
  };
}

export function statusOf(samm: ScalewayAppleSiliconMachine): ScalewayAppleSiliconMachineStatus {
  samm.status ??= {};
  return samm.status;
}

/** Makes the status tell this and no more. */
export function writeJournal(status: ScalewayAppleSiliconMachineStatus, journal: HostJournal): void {
  for (const field of FIELDS) delete status[field];
  Object.assign(status, journal);
}

export const sameJournal = (one: HostJournal, other: HostJournal): boolean => isDeepStrictEqual(one, other);

/** Entries that are no steps of a plan: no step can be called so. */
export const OF_THE_HOST = {
  /** Failures that were no step's: nobody answered, the run took too long. */
  host: WHOLE_HOST,
  /** The one restart through the vendor. */
  restart: '(restart)',
  /** The one wipe of a host that never let us in. */
  wipe: '(wipe)',
  /** The host goes back; written before anything is done about it. */
  givingUp: '(giving-up)',
} as const;

export const isOfTheHost = ({ name }: HostStep): boolean => name.startsWith('(');

/** Why a step that did not fail is not done. */
export const notDone = {
  /** It would disturb VMs that run. */
  heldBack: 'HeldBack',
  /** Written down, in force after the next boot. */
  rebootPending: 'RebootPending',
  /** An inspection found it so. */
  drift: 'DriftFound',
  /** Another came first and failed, or the run was stopped. */
  notReached: 'NotReached',
} as const;

const NOT_FAILED: ReadonlySet<string | undefined> = new Set(Object.values(notDone));

/** What is done about a host is not what fails on it. */
const MEASURES: ReadonlySet<string> = new Set([OF_THE_HOST.restart, OF_THE_HOST.wipe, OF_THE_HOST.givingUp]);

export const isFailing = (step: HostStep): boolean =>
  (step.state === 'Waiting' || step.state === 'Failed') && !NOT_FAILED.has(step.reason) && !MEASURES.has(step.name);

/** The failure that counts now: that nobody answers is newer than what a step said when someone did. */
export const failingStep = (steps: readonly HostStep[]): HostStep | undefined =>
  steps.find(step => step.name === OF_THE_HOST.host && isFailing(step)) ?? steps.find(isFailing);

export const stepsFor = (steps: readonly HostStep[], reason: string): string[] =>
  steps.filter(step => step.state === 'Waiting' && step.reason === reason).map(({ name }) => name);

/** Failures in a row, as a run goes on from them. */
export const attemptsOf = (steps: readonly HostStep[]): Attempts =>
  Object.fromEntries(steps.flatMap(({ name, attempts }) => (attempts ? [[name, attempts] as const] : [])));

/** The same list with these entries in the place of those of their name; new ones come last. */
export function withSteps(steps: readonly HostStep[], changed: readonly StepNews[], at: string): HostStep[] {
  const before = new Map(steps.map(step => [step.name, step]));
  for (const news of changed) {
    const known = before.get(news.name);
    const lastTransitionTime = known?.state === news.state ? known.lastTransitionTime : at;
    // A step that needed nothing this time still took as long as it once did.
    const took = known?.state === 'Done' && news.state === 'Done' ? known : {};
    before.set(news.name, { ...took, ...news, lastTransitionTime });
  }
  return [...before.values()];
}

/** An entry before it is known since when it is so. */
export type StepNews = Omit<HostStep, 'lastTransitionTime'>;
