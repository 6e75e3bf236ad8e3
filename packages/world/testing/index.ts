/** Test doubles and fixtures of the world, for tests and for packages/dev. */

export { brew, installHomebrew, PREFIX as HOMEBREW_PREFIX } from '../mac/builder/brew.ts';
export { unpackRunner } from '../mac/builder/runner-state.ts';
export { clickAllow } from '../mac/local-network/local-network.ts';
export { plist } from '../mac/testing/plist.ts';
export { startRegistry } from '../registry/start-registry.ts';
export { clientsOf, type TestScaleway } from '../scaleway/testing/start-test-scaleway.ts';
export type { HostFile } from '../tart/host/host-file.ts';
export { makeTart, type SimulatedTart } from '../tart/testing/make-tart.ts';
