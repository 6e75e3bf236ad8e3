import type { SignalSource } from './signals.ts';

/** What the pool itself knows: runners with a job. Jobs that wait are known to nobody here, so its floor is what lets it grow. */
export const ownSignals: SignalSource = async ({ status }) => {
  const busy = status?.busy ?? 0;
  return { claimed: busy, occupied: busy, queued: 0, withheld: 0, p95: 0 };
};
