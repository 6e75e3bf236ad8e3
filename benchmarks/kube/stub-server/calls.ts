import type { Verb } from './answer-request.ts';

/** Counters of the stub since its start. */
export type Counts = Readonly<Record<Verb | 'connections', number>>;

export interface Load {
  readonly eventsPerSecond: number;
  readonly seconds: number;
  /** True to add the write time to the events; not for a warm-up. */
  readonly stamped: boolean;
}

/** Calls to the stub. */
export interface StubCalls {
  listen(tls: { key: string; cert: string; ca: string }): Promise<{ port: number }>;
  /** Replaces all ConfigMaps with this many; returns the size of one in a watch event. */
  fill(objects: number): Promise<{ bytesPerObject: number }>;
  /** Changes one object after the other at a constant rate, and returns after the last write. */
  load(load: Load): Promise<{ sent: number }>;
  /** Changes the settings that concern every object. */
  touchSettings(): Promise<{ writtenAt: number }>;
  counts(): Promise<Counts>;
}
