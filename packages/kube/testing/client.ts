/** Internals of packages/kube/client that tests, benchmarks and generators of other packages use. */
export { retrying } from '../client/retrying-transport.ts';
