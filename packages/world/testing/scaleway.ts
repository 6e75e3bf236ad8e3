/** Internals of packages/world/scaleway that tests, benchmarks and generators of other packages use. */

export { defaultCatalogue } from '../scaleway/model/default-catalogue.ts';
export type { Server } from '../scaleway/model/server.ts';
