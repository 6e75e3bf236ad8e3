/** One convergent change on a host: inspect, change, settle, inspect again. */
import type { Duration } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { Host, HostView } from '../host.ts';

/** Disturbance levels of a change, from harmless to harmful. */
export const disturbances = ['nothing', 'new VMs', 'running VMs'] as const;
export type Disturbance = (typeof disturbances)[number];

/** Result of an inspection. */
export type Finding =
  | { readonly state: 'current' }
  /** Out of sync, with actual and expected values for the operator. */
  | { readonly state: 'drift'; readonly differences: readonly string[]; readonly disturbs?: Disturbance }
  /** Written as desired, in effect only after the next boot. */
  | { readonly state: 'needs reboot'; readonly differences: readonly string[] };

export const current = (): Finding => ({ state: 'current' });

/** Drift, or `current` without differences. `disturbs` if this drift disturbs less than the step may. */
export const drift = (differences: string | readonly string[], disturbs?: Disturbance): Finding => {
  const words = typeof differences === 'string' ? [differences] : differences;
  if (words.length === 0) return current();
  return { state: 'drift', differences: words, ...(disturbs === undefined ? {} : { disturbs }) };
};

export const needsReboot = (difference: string): Finding => ({ state: 'needs reboot', differences: [difference] });

/** Finding of one step, or the reason why its inspection failed. */
export type Inspection = { readonly finding: Finding } | { readonly error: CataloguedError };

/** True if nothing is left to do or to wait for, except a reboot. */
export const isSettled = (look: Inspection | undefined): boolean =>
  look !== undefined && 'finding' in look && look.finding.state !== 'drift';

export interface Settle {
  /** Maximum time for the host to settle after a change. */
  readonly within: Duration;
  /** Interval between inspections. */
  readonly every: Duration;
}

export interface StepDefinition<Want> {
  /** `kebab-case`; used in ledgers, conditions and metrics. */
  readonly id: string;
  /** Title in tables: `passwordless sudo`. */
  readonly title: string;
  /** Maximum disturbance. */
  readonly disturbs: Disturbance;
  /** True if it takes effect only after a reboot. */
  readonly needsReboot?: boolean;
  /** Covers change and settle together. */
  readonly timeout: Duration;
  /** Default: inspected once, immediately. */
  readonly settle?: Settle;
  /** Read-only. Sends all its queries at once. */
  inspect(host: HostView, want: Want): Promise<Finding>;
  /**
   * Brings the host from the finding to the desired state. Safe to repeat from any state, and a failure leaves the host
   * no worse. Returns notes for the caller: what was killed or removed.
   */
  change(host: Host, want: Want, finding: Finding): Promise<readonly string[]>;
  /** Removes the step; steps without it are part of every host. */
  readonly removal?: Removal;
  /** Part of the desired value that identifies the result, if not all of it: an installer is only a means. */
  readonly identity?: (want: Want) => unknown;
}

export interface Removal {
  inspect(host: HostView): Promise<Finding>;
  change(host: Host): Promise<readonly string[]>;
}

/** Preserves the type of the desired value for code that builds plans. */
export const defineStep = <Want>(definition: StepDefinition<Want>): StepDefinition<Want> => definition;

/** Step bound to its desired value, or its removal: the element of a plan and all that the engine knows. */
export interface PlannedStep {
  readonly id: string;
  readonly title: string;
  readonly disturbs: Disturbance;
  readonly needsReboot: boolean;
  readonly timeout: Duration;
  readonly settle: Settle | undefined;
  /** Plain data, or `'absent'`. The step gets nothing else, so what is applied is what is hashed. */
  readonly want: unknown;
  /** Hashed part of `want`. */
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

/** Part of a step that its removal needs. */
type StepDescription = Pick<
  StepDefinition<unknown>,
  'id' | 'title' | 'disturbs' | 'needsReboot' | 'timeout' | 'settle'
>;

export function planRemoval(step: StepDescription & { readonly removal: Removal }): PlannedStep {
  const { removal } = step;
  return {
    ...stepDescription(step),
    want: 'absent',
    identity: 'absent',
    inspect: host => removal.inspect(host),
    change: host => removal.change(host),
  };
}

const stepDescription = (step: StepDescription) => ({
  id: step.id,
  title: step.title,
  disturbs: step.disturbs,
  needsReboot: step.needsReboot ?? false,
  timeout: step.timeout,
  settle: step.settle,
});

/** State behind findings, so that a change that starts from the same inspection need not query the host again. */
interface FindingCache<State> {
  store(finding: Finding, state: State): Finding;
  /** Undefined for a finding from another source. */
  stateFor(finding: Finding): State | undefined;
}

/** Kept as long as the finding itself. The engine inspects again after every change. */
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
