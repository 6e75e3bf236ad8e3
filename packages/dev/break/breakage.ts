import { type Duration, seconds } from '@minifleet/clock';
import type { Fleet } from '../up/fleets/share-hosts.ts';
import type { Stage } from './stage.ts';

/**
 * A look finds it, and a run or two mend it: half a minute, mostly. A Mac that is wiped, a session that GitHub forgets after a minute and
 * two busy cores take up to a minute and a half.
 */
export const HEALED_WITHIN = seconds(240);

/** An incident of docs/incidents, done to a running host of the world. */
export interface Breakage {
  /** `I19`, as in the list of incidents. */
  readonly id: string;
  /** What happens, in a line. */
  readonly title: string;
  /** Of which fleets a host can be struck. */
  readonly fleets: readonly Fleet[];
  /** What must be seen then, in a line. */
  readonly promise: string;
  /** How long that may take. */
  readonly within: Duration;
  /** It is felt by more than its host: what is done to others meanwhile is seen later, or not at all. */
  readonly alone?: true;
  /** It is done to the one pool of runners there is, and another that does so would spoil it: one after the other. */
  readonly needsPool?: true;
  strike(stage: Stage): Promise<Struck>;
}

export interface Struck {
  /** What was done, in a line. */
  readonly did: string;
  /** Undefined as long as what must be seen is not. */
  look(): Promise<Seen | undefined>;
  /** What is so when it is not seen in time; what the machine says unless given. */
  instead?(): Promise<string>;
  /** Takes away what stays when it is seen: what a person would put right, and what was made for the scene. */
  tidy?(): Promise<void>;
}

/** Repaired without anybody's help, or told where somebody on call looks, with what is to be done. */
export type Seen = { readonly healed: string } | { readonly named: string };
