/** Internals of packages/forges/github that tests, benchmarks and generators of other packages use. */
export { clientIdIn, hostsOf } from '../github/testing/hosts-of.ts';
