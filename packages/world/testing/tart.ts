/** Internals of packages/world/tart that tests, benchmarks and generators of other packages use. */
export type { GuestBehaviour, HostFault } from '../tart/host/host-file.ts';
export { type StartedTart, type TartResult, tartAt } from '../tart/testing/make-tart.ts';
export { makeWorldDeps } from '../tart/testing/make-world-deps.ts';
export { type OpenScreen, openScreen } from '../tart/testing/open-screen.ts';
export { viewScreen } from '../tart/testing/view-screen.ts';
