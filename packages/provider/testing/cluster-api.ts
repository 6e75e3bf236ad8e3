/** Internals of packages/provider/cluster-api that tests, benchmarks and generators of other packages use. */
export { machineDeployments } from '../cluster-api/kinds.ts';
