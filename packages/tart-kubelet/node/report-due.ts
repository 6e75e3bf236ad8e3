import { type Duration, milliseconds, minutes } from '@minifleet/clock';

/** A status that does not change is sent this often all the same. */
export const REPORT_EVERY = minutes(5);

/** The distance of two reports of this process: up to half more or less, once, so that a rack that booted together drifts apart. */
export const reportInterval = (random: number): Duration => milliseconds(REPORT_EVERY * (0.5 + random));

export interface LastReport {
  readonly at: number;
  /** What we wanted to say. */
  readonly wanted: string;
  /** What the server made of it: a field it does not know, a quantity it writes otherwise. */
  readonly accepted: string;
}

/**
 * Whether a status must go out. Compared are our words with our last words, and the Node with what the server made of
 * them: so a server that drops a field is not sent it for ever, and who writes over ours is answered at once.
 */
export function reportDue(
  last: LastReport | undefined,
  now: { readonly at: number; readonly wanted: string; readonly live: string },
  every: Duration,
): boolean {
  if (!last || last.wanted !== now.wanted || last.accepted !== now.live) return true;
  // A clock that was set back must not silence us for as long as it jumped.
  return now.at >= last.at + every || now.at < last.at;
}
