/** Internals of packages/provider/machines that tests, benchmarks and generators of other packages use. */
export { type MachineBench, machineBench } from '../machines/testing/machine-bench.ts';
export { POOL } from '../machines/testing/settings.ts';
