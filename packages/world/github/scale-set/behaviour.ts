import { type Duration, minutes } from '@minifleet/clock';

/** Strange answers seen in the field (facts §6.5, §6.8). Each is in force while it is in the set. */
type ScaleSetQuirk =
  /** A byte order mark before the JSON. */
  | 'byte order mark'
  | 'no statistics'
  /** All zero while jobs are assigned. */
  | 'zero statistics'
  | 'empty queue URL'
  /** 200 and nothing in it. */
  | 'empty message'
  | 'unknown entry'
  /** An acknowledged message comes once more. */
  | 'acknowledgement ignored';

/** How the closed service behaves where no public source pins it down: each can be set, none may be relied on. */
export interface ScaleSetBehaviour {
  /** github.com assigns without asking; an enterprise server offers, and the listener acquires. */
  readonly flow: 'direct' | 'acquire';
  /** A session whose owner vanished is held this long. */
  readonly sessionLapse: Duration;
  /** A job assigned but not started is taken back, three times at most, after this, then twice, then three times as long. */
  readonly assignmentLapse: Duration;
  readonly quirks: Set<ScaleSetQuirk>;
}

export const defaultScaleSetBehaviour = (): ScaleSetBehaviour => ({
  flow: 'direct',
  sessionLapse: minutes(5),
  assignmentLapse: minutes(5),
  quirks: new Set(),
});
