import { type Duration, seconds } from '@minifleet/clock';
import type { FleetName } from '../up/fleets/share-hosts.ts';
import type { FaultTarget } from './fault-target.ts';
import type { MacEnv, OldWayEnv } from './old-way-env.ts';
import type { OurWayEnv } from './our-way-env.ts';

/** An incident of docs/incidents, and the ways in which it can be run. */
export interface Incident {
  /** `I01`, as in docs/incidents. */
  readonly id: string;
  /** The heading of its page. */
  readonly title: string;
  /** The operators' original procedure, on a simulated Mac, vendor or registry. It proves that the world reproduces the failure. */
  readonly oldWay?: OldWay;
  /** Minifleet on the Mac that the original procedure left behind. */
  readonly ourWay?: OurWay;
  /** The fault that `minifleet break` injects into a running `up`. */
  readonly live: LiveFault | NotOnHosts;
  /** The tests that cover the incident where `ourWay` or `live` cannot, or the page that names the open part. */
  readonly coveredBy?: string;
}

export interface OldWay<Env extends MacEnv = OldWayEnv> {
  /** The operators' actions, in one line. */
  readonly procedure: string;
  /** The documented failure. The output of `run` must match it. */
  readonly symptom: RegExp;
  /** Prepares the state, runs the procedure, and returns what an operator would observe. */
  run(env: Env): Promise<string>;
}

export interface OurWay {
  /** The required result, in one line. */
  readonly expected: string;
  /** Minifleet's actions, in one line. */
  readonly procedure: string;
  /** The Mac, where it differs from the default one. */
  readonly mac?: { readonly passwordlessSudo?: boolean; readonly password?: string };
  /** The output of `run` must match it. */
  readonly result: RegExp;
  /** Repeats the original procedure, lets Minifleet handle the same Mac, and returns one line about the result. */
  readonly run: (env: OurWayEnv) => Promise<string>;
}

/**
 * Default limit for a live fault. An inspection finds the fault and one or two runs repair it, in about 30 s. A reinstalled Mac, a
 * session that GitHub forgets after a minute, and two busy cores take up to 90 s.
 */
export const REPAIRED_WITHIN: Duration = seconds(240);

export interface LiveFault {
  /** The injected fault, in one line (default: the title of the incident). */
  readonly fault?: string;
  /** Fleets whose hosts can have the fault. */
  readonly fleets: readonly FleetName[];
  /** The required reaction, in one line. */
  readonly expected: string;
  /** Time limit of the reaction. */
  readonly within: Duration;
  /** Set when the fault affects more than its host. A fault injected elsewhere at the same time is observed late or never. */
  readonly alone?: true;
  /** Set when the fault affects the only runner pool. Two of these faults at a time would disturb each other. */
  readonly needsPool?: true;
  inject(target: FaultTarget): Promise<InjectedFault>;
}

export interface InjectedFault {
  /** The injected change, in one line. */
  readonly action: string;
  /** Undefined until the required reaction is observed. */
  check(): Promise<FaultOutcome | undefined>;
  /** The state to report when the reaction is late (default: the Ready condition of the machine). */
  describeState?(): Promise<string>;
  /** Reverts what no program repairs, and removes the fixtures. */
  cleanUp?(): Promise<void>;
}

/** Repaired without an operator, or reported where the operator on call sees it, with the next action. */
export type FaultOutcome = { readonly repaired: string } | { readonly reported: string };

/** The reason why an incident cannot be injected into a host, in one sentence. */
interface NotOnHosts {
  readonly notOnHosts: string;
}

export const isLive = (live: Incident['live']): live is LiveFault => 'inject' in live;
