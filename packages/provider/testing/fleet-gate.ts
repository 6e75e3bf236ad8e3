/** Internals of packages/provider/fleet-gate that tests, benchmarks and generators of other packages use. */
export { gateFlags, parseGateFlags } from '../fleet-gate/run-gate.ts';
