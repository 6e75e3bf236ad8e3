/** Internals of packages/world/registry that tests, benchmarks and generators of other packages use. */
export type { AuthorizationOptions } from '../registry/authorization.ts';
export type { Registry } from '../registry/start-registry.ts';
