/** Internals of packages/api/kinds that tests, benchmarks and generators of other packages use. */

export { runnerPool } from '../kinds/runner-pool.ts';
export { runnerPoolConditions } from '../kinds/runner-pool-conditions.ts';
export { machineConditions } from '../kinds/scaleway-apple-silicon-machine-conditions.ts';
