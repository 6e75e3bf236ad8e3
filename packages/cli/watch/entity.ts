/** What can be in trouble: a Mac in a fleet, the fleet as a whole, a pool of runners. */
export type EntityKind = 'host' | 'fleet' | 'pool';

/** One thing that is wrong, as its finder says it. */
export interface Problem {
  /** The condition that tells it: under another label the same condition has another cause. */
  readonly source: string;
  /** Who says so and what for: `Node NotReady`, `DriftFound`. */
  readonly label: string;
  /** The finder's own words; empty when it has none. */
  readonly message: string;
  readonly since: number;
  /** Its words tell of every step on the way: it is told once by its label, and not again when they change. */
  readonly underWay?: boolean;
}

/** What the objects of one host, fleet or pool tell together, at one moment. */
export interface EntitySnapshot {
  readonly key: string;
  readonly kind: EntityKind;
  readonly namespace: string;
  readonly name: string;
  /** Everything a person or an event may call it by. */
  readonly calledBy: readonly string[];
  readonly state: 'well' | 'starting' | 'paused' | 'leaving' | 'troubled';
  /** Where it is while it starts or leaves; told whenever it is another one. */
  readonly phase: string;
  /** The words of that phase. */
  readonly words: string;
  /** The first is the one to tell first. Of something that starts: what it waits for. */
  readonly worries: readonly Problem[];
  /** Whether it did its work before; then what ends a trouble makes it well again. */
  readonly served: boolean;
  readonly createdAt: number;
  /** When anything of it last came to be another: what was done to it before has shown by now. */
  readonly changedAt: number;
  /** Steps on the host that are as wanted, each with the moment it came to be so. */
  readonly setRight: readonly { readonly step: string; readonly at: number }[];
}

export const problemText = ({ label, message }: Pick<Problem, 'label' | 'message'>): string =>
  message === '' ? label : `${label}: ${message}`;
