/** Internals of packages/runners/runner that tests, benchmarks and generators of other packages use. */
export { CONFIGURATION_KEY } from '../runner/registration.ts';
