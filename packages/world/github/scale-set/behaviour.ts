import { type Duration, minutes } from '@minifleet/clock';

/** Unusual responses observed in the field (facts §6.5, §6.8). Each is active while it is in the set. */
type ScaleSetQuirk =
  /** A byte order mark before the JSON. */
  | 'byte order mark'
  | 'no statistics'
  /** All zero while jobs are assigned. */
  | 'zero statistics'
  | 'empty queue URL'
  /** Status 200 with an empty body. */
  | 'empty message'
  | 'unknown entry'
  /** An acknowledged message is delivered again. */
  | 'acknowledgement ignored';

/** Behaviour of the closed service where no public source defines it. Tests can set each value, and no code may rely on any. */
export interface ScaleSetBehaviour {
  /** github.com assigns directly; an enterprise server offers, and the listener acquires. */
  readonly flow: 'direct' | 'acquire';
  /** Time until the session of a vanished owner ends. */
  readonly sessionLapse: Duration;
  /** Time until an assigned job that was not started is withdrawn: at most three times, with one, two and three times this duration. */
  readonly assignmentLapse: Duration;
  readonly quirks: Set<ScaleSetQuirk>;
}

export const defaultScaleSetBehaviour = (): ScaleSetBehaviour => ({
  flow: 'direct',
  sessionLapse: minutes(5),
  assignmentLapse: minutes(5),
  quirks: new Set(),
});
