import { type Child, startChild } from '../../child/start-child.ts';
import type { CallerCalls } from './calls.ts';

export type Caller = Child<CallerCalls>;

/** A process that works on hosts: alone, so that its peak of memory is its own. */
export const startCaller = (): Promise<Caller> =>
  startChild<CallerCalls>({ file: new URL('./caller.ts', import.meta.url), answerWithin: 150_000 });
