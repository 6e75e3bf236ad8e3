/** Internals of packages/cli/cluster that tests, benchmarks and generators of other packages use. */
export { PHASES } from '../cluster/machine-conditions.ts';
export type { ScalewayAppleSiliconMachine } from '../cluster/machines.ts';
export { macHosts, machines } from '../cluster/resources.ts';
