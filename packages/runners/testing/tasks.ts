/** Internals of packages/runners/tasks that tests, benchmarks and generators of other packages use. */
export { createSemaphore } from '../tasks/tasks.ts';
