/** Time in tests: a clock the test holds, and waiting for a condition. */
export { type EventuallyOptions, eventually } from './eventually.ts';
export { eventuallyHolds } from './eventually-holds.ts';
export { type FakeClock, type FakeClockOptions, fakeClock } from './fake-clock.ts';
