import { type Clock, formatDuration, minutes, type Timer } from '@minifleet/clock';
import { IMAGE_PULL_STALLED } from './errors.ts';

// A percent of a large image on a line of 1 MB/s takes a quarter of an hour.
const PATIENCE = minutes(30);

/** Gives a pull up when nothing is heard of it any more. There is no limit to its whole: a slow line must end, too. */
export interface StallWatch {
  readonly signal: AbortSignal;
  heard(line: string): void;
  stop(): void;
}

export function watchForStall(clock: Clock): StallWatch {
  const stalled = new AbortController();
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = clock.after(PATIENCE, () => stalled.abort(IMAGE_PULL_STALLED({ after: formatDuration(PATIENCE) })));
  };
  wait();
  return {
    signal: stalled.signal,
    heard(line) {
      timer?.cancel();
      // Behind another pull from the same registry it is silent as long as that one takes.
      if (line.trim() !== 'waiting for lock...') wait();
    },
    stop: () => timer?.cancel(),
  };
}
