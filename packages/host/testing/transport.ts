/** Internals of packages/host/transport that tests, benchmarks and generators of other packages use. */
export { emptyOutput } from '../transport/transport.ts';
