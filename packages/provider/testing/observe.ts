/** Internals of packages/provider/observe that tests, benchmarks and generators of other packages use. */
export { alerts } from '../observe/alerts.ts';
export { providerMetricTable } from '../observe/metric-table.ts';
