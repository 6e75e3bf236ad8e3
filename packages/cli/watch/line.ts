import type { Duration } from '@minifleet/clock';
import type { Sight } from './sight.ts';

/** What a line tells. */
export type What =
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
export interface Line {
  readonly at: number;
  readonly what: What;
  /** Absent when it is about the whole cluster. */
  readonly about?: Pick<Sight, 'kind' | 'namespace' | 'name'>;
  readonly words: string;
  /** Of a trouble that was there before, and of one that is over. */
  readonly lasted?: Duration;
}
