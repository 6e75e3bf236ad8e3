/** Machines of one run each; every run has a cluster, a world and a provider of its own. */
export const SIZES: readonly number[] = [50, 100, 200, 400];

export const FLEET = 'bench';

/** After core has seen them all its last writes are on their way. */
export const SETTLE_SECONDS = 20;
export const REST_SECONDS = 120;

/** Looks at hosts, one after the other without a rest, at the smallest size. */
export const INSPECTIONS = { every: '5s', seconds: 60 };
/** The provider's default, to which the price of a look is brought. */
export const INSPECT_EVERY_MINUTES = 10;

export const AIMS = { requestsAtRest: 2, megabytes: 350, growth: 1.2 };

/** A benchmark that hangs must end by itself: what a machine may take, and the start of everything before it. */
export const readyWithinSeconds = (machines: number): number => 120 + 3 * machines;
