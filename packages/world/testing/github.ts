/** Internals of packages/world/github that tests, benchmarks and generators of other packages use. */
export { descriptionSubset } from '../github/openapi/description-subset.ts';
export { restRoutes } from '../github/rest/rest-routes.ts';
export { decodeJitConfig, readRunnerFiles } from '../github/runners/jit-config.ts';
