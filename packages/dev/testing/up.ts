/** Internals of packages/dev/up that tests, benchmarks and generators of other packages use. */
export { agentsOnMacs } from '../up/agents-on-macs.ts';
export { localFleetFile, writeFleetFile, writeHostFiles } from '../up/fleet-file.ts';
