import { type Clock, milliseconds, systemClock } from '@minifleet/clock';

/** Real time for timestamps; delays pass `speed` times as fast. */
export const scaledClock = (speed: () => number): Clock => ({
  now: () => systemClock.now(),
  after: (duration, callback) => systemClock.after(milliseconds(duration / speed()), callback),
  random: () => systemClock.random(),
});
