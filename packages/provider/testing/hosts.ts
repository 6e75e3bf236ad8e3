/** Internals of packages/provider/hosts that tests, benchmarks and generators of other packages use. */
export { hostStatesTable } from '../hosts/testing/state-table-page.ts';
