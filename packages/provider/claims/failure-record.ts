import type { HostFailure } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';

/** The schema's bounds: a longer record would be refused whole, and nothing would be known of the host. */
const ENTRIES = 64;
const STEP = 63;
const REASON = 128;
const MESSAGE = 2048;

/** Entries of this step count how a host was let go (quarantine.ts); all others are what went wrong on it. */
export const DEPARTURE = 'departure';

export const failuresOn = (failures: readonly HostFailure[]): readonly HostFailure[] =>
  failures.filter(({ step }) => step !== DEPARTURE);

/** How often the host failed since its last clean bootstrap: the more, the later it is chosen. */
export const timesFailed = (failures: readonly HostFailure[] = []): number =>
  failuresOn(failures).reduce((sum, { count }) => sum + count, 0);

/** The record with one more failure, counted where the same is known. The oldest go when there is no room. */
export function withFailure(
  failures: readonly HostFailure[],
  failure: Pick<HostFailure, 'step' | 'reason' | 'message'>,
  now: number,
): HostFailure[] {
  const step = failure.step.slice(0, STEP);
  const reason = failure.reason.slice(0, REASON);
  const known = failures.find(one => one.step === step && one.reason === reason);
  const at = timestamp(now);
  const entry: HostFailure = {
    step,
    reason,
    count: (known?.count ?? 0) + 1,
    firstTime: known?.firstTime ?? at,
    lastTime: at,
    ...(failure.message === undefined ? {} : { message: failure.message.slice(0, MESSAGE) }),
  };
  const others = failures.filter(one => one !== known);
  return [...newest(others, ENTRIES - 1), entry];
}

/** What counts departures outlives any single failure: without it a bad host would start anew. */
function newest(failures: readonly HostFailure[], room: number): readonly HostFailure[] {
  if (failures.length <= room) return failures;
  const departures = failures.filter(({ step }) => step === DEPARTURE);
  const byTime = failuresOn(failures).toSorted((a, b) => Date.parse(a.lastTime) - Date.parse(b.lastTime));
  return [...departures, ...byTime.slice(departures.length + byTime.length - room)];
}
