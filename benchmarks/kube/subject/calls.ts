import type { annotateOnce } from './task/annotate-once.ts';
import type { readCache } from './task/read-cache.ts';
import type { recordValues } from './task/record-values.ts';
import type { timeEvents } from './task/time-events.ts';

export interface Tasks {
  'time-events': typeof timeEvents;
  'read-cache': typeof readCache;
  'annotate-once': typeof annotateOnce;
  'note-values': typeof recordValues;
}
export type TaskName = keyof Tasks;
export type FiguresOf<Name extends TaskName> = ReturnType<ReturnType<Tasks[Name]>['figures']>;

/** In bytes, after the garbage is collected. */
export interface Memory {
  readonly heapUsed: number;
  readonly rss: number;
}

/** What the benchmark may ask of a subject. */
export interface SubjectCalls<Name extends TaskName> {
  /** Answers when the first list is in the cache. */
  start(kubeconfig: string): Promise<void>;
  /** Answers when the loop has done this many reconciles since its start. */
  passed(count: number): Promise<void>;
  figures(): Promise<FiguresOf<Name>>;
  memory(): Promise<Memory>;
  /** Milliseconds of processor time used since the process started. */
  processorTime(): Promise<number>;
}
