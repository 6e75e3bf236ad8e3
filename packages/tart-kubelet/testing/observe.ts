/** Internals of packages/tart-kubelet/observe that tests, benchmarks and generators of other packages use. */
export { agentMetricTable } from '../observe/metric-table.ts';
