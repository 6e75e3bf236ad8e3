/** Internals of packages/api/kinds that tests, benchmarks and generators of other packages use. */

export { machineConditions } from '../kinds/machine-conditions.ts';
export { runnerPool } from '../kinds/runner-pool.ts';
export { runnerPoolConditions } from '../kinds/runner-pool-conditions.ts';
