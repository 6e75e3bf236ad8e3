/** One convergent change on a host: inspect, change, settle, inspect again. */
import type { Duration } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { Host, HostView } from '../host.ts';

/** What carrying a step out may disturb, from harmless to harmful. */
export const disturbances = ['nothing', 'new VMs', 'running VMs'] as const;
export type Disturbance = (typeof disturbances)[number];

/** What an inspection found. */
export type Finding =
  | { readonly state: 'current' }
  /** Differs, in words a person can act on: what is, and what is wanted. */
  | { readonly state: 'drift'; readonly differences: readonly string[]; readonly disturbs?: Disturbance }
  /** Written down as wanted, in force only after the next boot. */
  | { readonly state: 'needs reboot'; readonly differences: readonly string[] };

export const current = (): Finding => ({ state: 'current' });

/** Drift, or `current` when there is no difference. `disturbs` when this very drift disturbs less than the step may. */
export const drift = (differences: string | readonly string[], disturbs?: Disturbance): Finding => {
  const words = typeof differences === 'string' ? [differences] : differences;
  if (words.length === 0) return current();
  return { state: 'drift', differences: words, ...(disturbs === undefined ? {} : { disturbs }) };
};

export const needsReboot = (difference: string): Finding => ({ state: 'needs reboot', differences: [difference] });

/** What a look at one step gave: what was found, or why it could not be seen. */
export type Inspection = { readonly finding: Finding } | { readonly error: CataloguedError };

/** Whether there is nothing left to do or to wait for, short of a reboot. */
export const isSettled = (look: Inspection | undefined): boolean =>
  look !== undefined && 'finding' in look && look.finding.state !== 'drift';

export interface Settle {
  /** How long the host may take to come to rest after a change. */
  readonly within: Duration;
  /** How often to look meanwhile. */
  readonly every: Duration;
}

export interface StepDefinition<Want> {
  /** `kebab-case`; it stands in ledgers, conditions and metrics. */
  readonly id: string;
  /** What a person reads in a table: `passwordless sudo`. */
  readonly title: string;
  /** The most it may disturb. */
  readonly disturbs: Disturbance;
  /** Whether it takes force only after a reboot. */
  readonly needsReboot?: boolean;
  /** For change and settle together. */
  readonly timeout: Duration;
  /** Looked at once, at once, unless given. */
  readonly settle?: Settle;
  /** Reads only. Asks for all it needs at once. */
  inspect(host: HostView, want: Want): Promise<Finding>;
  /**
   * Brings the host from what `inspect` found to what is wanted; safe to repeat from anywhere, and fails without leaving
   * the host worse. What it returns is told to the caller: what was killed, what was removed.
   */
  change(host: Host, want: Want, finding: Finding): Promise<readonly string[]>;
  /** How to take it off again; steps without it are part of every host. */
  readonly removal?: Removal;
  /** What of the wanted value the host can be held to, if not all of it: an installer is only a way to get there. */
  readonly identity?: (want: Want) => unknown;
}

export interface Removal {
  inspect(host: HostView): Promise<Finding>;
  change(host: Host): Promise<readonly string[]>;
}

/** Keeps the type of its wanted value for whoever builds a plan. */
export const defineStep = <Want>(definition: StepDefinition<Want>): StepDefinition<Want> => definition;

/** A step with its wanted value bound, or to be taken off: what a plan is made of and all the engine knows. */
export interface PlannedStep {
  readonly id: string;
  readonly title: string;
  readonly disturbs: Disturbance;
  readonly needsReboot: boolean;
  readonly timeout: Duration;
  readonly settle: Settle | undefined;
  /** Plain data, or `'absent'`. It is all the step is given, so what is pushed is what is hashed. */
  readonly want: unknown;
  /** What is hashed of it. */
  readonly identity: unknown;
  inspect(host: HostView): Promise<Finding>;
  change(host: Host, finding: Finding): Promise<readonly string[]>;
}

export function planStep<Want>(step: StepDefinition<Want>, want: Want): PlannedStep {
  return {
    ...stepDescription(step),
    want,
    identity: step.identity ? step.identity(want) : want,
    inspect: host => step.inspect(host, want),
    change: (host, finding) => step.change(host, want, finding),
  };
}

export function planRemoval<Want>(step: StepDefinition<Want> & { readonly removal: Removal }): PlannedStep {
  const { removal } = step;
  return {
    ...stepDescription(step),
    want: 'absent',
    identity: 'absent',
    inspect: host => removal.inspect(host),
    change: host => removal.change(host),
  };
}

const stepDescription = <Want>(step: StepDefinition<Want>) => ({
  id: step.id,
  title: step.title,
  disturbs: step.disturbs,
  needsReboot: step.needsReboot ?? false,
  timeout: step.timeout,
  settle: step.settle,
});

/** What inspections saw, by what they found: a change that begins with the same look need not ask the host again. */
interface FindingCache<State> {
  store(finding: Finding, state: State): Finding;
  /** Undefined when that finding came from elsewhere. */
  stateFor(finding: Finding): State | undefined;
}

/** Kept for as long as the finding itself. The engine looks anew whenever it has changed something in between. */
export function createFindingCache<State>(): FindingCache<State> {
  const states = new WeakMap<Finding, State>();
  return {
    store(finding, state) {
      states.set(finding, state);
      return finding;
    },
    stateFor: finding => states.get(finding),
  };
}
