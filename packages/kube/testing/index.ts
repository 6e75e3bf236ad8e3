export { apiServerContract, type ContractServer } from './contract.ts';
export { type EventuallyOptions, eventually } from './eventually.ts';
export { eventuallyHolds } from './eventually-holds.ts';
export { type FakeClock, type FakeClockOptions, fakeClock } from './fake-clock.ts';
export type { Faults, FaultTarget, RequestMatch } from './faults.ts';
export type { Validate } from './kinds/served-kind.ts';
export { createMemoryApi, type MemoryApi, type MemoryApiOptions } from './memory-api.ts';
export { type StallableProxy, startStallableProxy } from './stallable-proxy.ts';
