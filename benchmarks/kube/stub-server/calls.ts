import type { Verb } from './answer-request.ts';

/** What the stub counts from its start. */
export type Counts = Readonly<Record<Verb | 'connections', number>>;

export interface Load {
  readonly eventsPerSecond: number;
  readonly seconds: number;
  /** Whether the events carry the moment they were written; those of a warm-up do not. */
  readonly stamped: boolean;
}

/** What the benchmark may ask of the stub. */
export interface StubCalls {
  listen(tls: { key: string; cert: string; ca: string }): Promise<{ port: number }>;
  /** Makes this many ConfigMaps the only ones; gives the bytes of one as a watch sends it. */
  fill(objects: number): Promise<{ bytesPerObject: number }>;
  /** Changes one object after the other at an even rate, and answers when the last is written. */
  load(load: Load): Promise<{ sent: number }>;
  /** Changes the settings that concern every object. */
  touchSettings(): Promise<{ writtenAt: number }>;
  counts(): Promise<Counts>;
}
