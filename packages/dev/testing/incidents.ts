/** Internals of packages/dev/incidents that tests, benchmarks and generators of other packages use. */
export { hostFaults, incidents } from '../incidents/incidents.ts';
export { describeOldWay, describeOurWay, hasOldWay, hasOurWay, runOldWay, runOurWay } from '../incidents/reenact.ts';
