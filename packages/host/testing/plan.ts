/** Internals of packages/host/plan that tests, benchmarks and generators of other packages use. */
export { fullHost, fullSpec } from '../plan/testing/full-spec.ts';
export { another, leavesOf, replaced } from '../plan/testing/leaves.ts';
