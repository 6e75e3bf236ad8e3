/** Internals of packages/provider/program that tests, benchmarks and generators of other packages use. */

export { CAPI_REMOTE, CREDENTIALS_ROLE, PROVIDER } from '../program/access.ts';
export { accessManifests } from '../program/access-manifests.ts';
export { applyAccess, tokenOf } from '../program/testing/apply-access.ts';
export { interceptTransport, nameOf } from '../program/testing/intercept-api.ts';
export { createProgramRun, type Effect, type EffectHook, type ProgramRun } from '../program/testing/program-run.ts';
export { providerFlags } from '../settings/flags.ts';
