/** Internals of packages/tart-kubelet/node that tests, benchmarks and generators of other packages use. */
export { OWN_CONDITIONS } from '../node/node-conditions.ts';
export { createNodeLease } from '../node/node-lease.ts';
export { KUBELET_VERSION } from '../node/node-settings.ts';
export { reportInterval } from '../node/own-node.ts';
