/** Internals of packages/provider/program that tests, benchmarks and generators of other packages use. */

export { CAPI_REMOTE, CREDENTIALS_ROLE, PROVIDER } from '../program/access.ts';
export { accessManifests } from '../program/access-manifests.ts';
export { providerFlags } from '../program/flags.ts';
export { apiTransport, nameOf } from '../program/testing/api-hands.ts';
export { applyAccess, tokenOf } from '../program/testing/apply-access.ts';
export { createLife, type Effect, type Life, type Meet } from '../program/testing/life.ts';
