/** Internals of packages/tart-kubelet/agent that tests, benchmarks and generators of other packages use. */
export { agentFlags } from '../agent/flags.ts';
