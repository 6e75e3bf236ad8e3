/** Internals of packages/host/engine that tests, benchmarks and generators of other packages use. */
export { STATE_FOLDER } from '../engine/lease.ts';
export { current, drift, needsReboot } from '../engine/step.ts';
export { anyStep, fileNamed, fileSteps } from '../engine/testing/small-steps.ts';
