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

/** Memory in bytes after garbage collection. */
export interface Memory {
  readonly heapUsed: number;
  readonly rss: number;
}

/** Calls to a subject. */
export interface SubjectCalls<Name extends TaskName> {
  /** Returns when the first list is in the cache. */
  start(kubeconfig: string): Promise<void>;
  /** Returns after this many reconciles since the start. */
  passed(count: number): Promise<void>;
  figures(): Promise<FiguresOf<Name>>;
  memory(): Promise<Memory>;
  /** CPU time of the process in milliseconds. */
  processorTime(): Promise<number>;
}
