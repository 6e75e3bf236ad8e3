import { type Duration, milliseconds } from '@minifleet/clock';

/** From one moment to another; nothing when it is not known since when. */
export const between = (from: number, to: number): Duration =>
  milliseconds(Number.isNaN(from) ? 0 : Math.max(0, to - from));
