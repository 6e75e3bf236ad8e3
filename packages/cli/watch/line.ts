import type { Duration } from '@minifleet/clock';
import type { EntitySnapshot } from './entity.ts';

/** What a line tells. */
export type LineType =
  | 'came'
  | 'progress'
  | 'broken'
  | 'warning'
  | 'trouble'
  | 'well'
  | 'gone'
  | 'summary'
  | 'cut-off'
  | 'resumed';

/** One line of the timeline. */
export interface TimelineLine {
  readonly at: number;
  readonly what: LineType;
  /** Absent when it is about the whole cluster. */
  readonly about?: Pick<EntitySnapshot, 'kind' | 'namespace' | 'name'>;
  readonly words: string;
  /** Of a trouble that was there before, and of one that is over. */
  readonly lasted?: Duration;
}
