/** Machines per run. Each run has its own cluster, world and provider. */
export const SIZES: readonly number[] = [50, 100, 200, 400];

export const FLEET = 'bench';

/** Time for the last writes of Cluster API. */
export const SETTLE_SECONDS = 20;
export const REST_SECONDS = 120;

/** Continuous inspections at the smallest size. */
export const INSPECTIONS = { every: '5s', seconds: 60 };
/** Default of the provider, to which the cost of an inspection is scaled. */
export const INSPECT_EVERY_MINUTES = 10;

/** `ratio` is the limit of new / baseline. */
export const AIMS = { requestsAtRest: 2, megabytes: 350, growth: 1.2, ratio: 1.1 };

/** Time limit, so that a hanging benchmark ends: start-up time plus time per machine. */
export const readyWithinSeconds = (machines: number): number => 120 + 3 * machines;

/** Discovery of free servers. `restSeconds` is longer than the longest interval between two lists, which is 5 minutes. */
export const DISCOVERY = { servers: 2_000, pool: 'tuist-pool-', restSeconds: 330, settleSeconds: 20 };
