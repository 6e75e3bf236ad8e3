/** Internals of packages/runners/observe that tests, benchmarks and generators of other packages use. */
export { runnersAlerts } from '../observe/alerts.ts';
export { runnersMetricTable } from '../observe/metric-table.ts';
export { createVacancies } from '../observe/vacancies.ts';
