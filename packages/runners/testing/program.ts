/** Internals of packages/runners/program that tests, benchmarks and generators of other packages use. */

export { POOLS_NAMESPACE, RUNNERS } from '../program/access.ts';
export { runnersAccess } from '../program/access-manifests.ts';
export { runnersFlags } from '../program/flags.ts';
