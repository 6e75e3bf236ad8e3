import { type Duration, minutes, seconds } from '@minifleet/clock';

/**
 * How the service behaves where it gives no promise. Every value is a guess from reports or documentation, so a test
 * can set each: nothing may rely on one of them.
 */
export interface Habits {
  /** A runner that vanished stays online this long (derived: it is polled every 50 s). */
  readonly sessionLapse: Duration;
  /** A job whose runner vanished stays in progress this long; until then the runner is `offline` and `busy`, and undeletable. */
  readonly leaseLapse: Duration;
  /** An ephemeral runner lingers this long after its job, still busy: field reports say seconds to tens of seconds. */
  readonly lingerAfterJob: Duration;
  /** Facts §6.6: one day, and fourteen for a runner that is not ephemeral. */
  readonly ephemeralOfflineLimit: Duration;
  readonly offlineLimit: Duration;
  /** Facts §6.1: a job waits at most a day. */
  readonly longestQueued: Duration;
  /** How long a runner's question for a job is held open. */
  readonly longPoll: Duration;
  /** Requests per hour and installation. */
  readonly requestsPerHour: number;
  /** Which of several eligible idle runners gets a job. GitHub promises nothing: `any` is by chance. */
  readonly choice: 'any' | 'longest idle' | 'newest';
}

export const usualHabits: Habits = {
  sessionLapse: minutes(1),
  leaseLapse: minutes(10),
  lingerAfterJob: seconds(0),
  ephemeralOfflineLimit: minutes(24 * 60),
  offlineLimit: minutes(14 * 24 * 60),
  longestQueued: minutes(24 * 60),
  longPoll: seconds(50),
  requestsPerHour: 5_000,
  choice: 'any',
};
