import { type Child, startChild } from '../../child/start-child.ts';
import type { CallerCalls } from './calls.ts';

export type Caller = Child<CallerCalls>;

/** Starts a separate process that works on hosts, so that its peak memory can be measured. */
export const startCaller = (): Promise<Caller> =>
  startChild<CallerCalls>({ file: new URL('./caller.ts', import.meta.url), answerWithin: 150_000 });
