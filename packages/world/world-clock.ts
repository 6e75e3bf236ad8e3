import { type Clock, milliseconds } from '@minifleet/clock';

/** A clock that runs `speed` times as fast as the given one, from the same moment: a reinstall need not take ten minutes. */
export function createWorldClock(real: Clock, speed: number): Clock {
  if (!(speed > 0)) throw new RangeError(`the speed of the world must be above 0, not ${speed}`);
  const began = real.now();
  return {
    now: () => began + (real.now() - began) * speed,
    after: (duration, callback) => real.after(milliseconds(duration / speed), callback),
    random: () => real.random(),
  };
}
