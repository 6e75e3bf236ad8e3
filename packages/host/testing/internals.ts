/** Internals of packages/host that tests, benchmarks and generators of other packages use. */
export { loadScript } from '../load-script.ts';
