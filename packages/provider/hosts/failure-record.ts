import type { HostFailureRecord, MacHost, MacHostStatus } from '@minifleet/api';
import { type Duration, minutes, timestamp } from '@minifleet/clock';

/** Bounds of the schema. A longer record would be rejected as a whole, and nothing would be known of the host. */
const MAX_ENTRIES = 64;
const MAX_STEP = 63;
const MAX_REASON = 128;
const MAX_MESSAGE = 2048;
const MAX_REASONS = 16;

/** Lengths of the first, second and third quarantine. Later ones last until an operator ends them. */
const QUARANTINE_LENGTHS: readonly Duration[] = [minutes(60), minutes(6 * 60), minutes(24 * 60)];
/** A machine can cause a failure itself. A host that failed under two machines is at fault. */
const FAILING_MACHINES = 2;

export type HostQuarantine = NonNullable<MacHostStatus['quarantine']>;
export type FailureRecord = Pick<MacHostStatus, 'failures' | 'returns' | 'quarantine'>;

/** Number of failures since the last successful bootstrap. Hosts with more failures are chosen later. */
export const failureCount = (failures: readonly HostFailureRecord[] = []): number =>
  failures.reduce((sum, { count }) => sum + count, 0);

/** Adds a failure, or counts a known one. The oldest entries make room. */
export function withFailure(
  failures: readonly HostFailureRecord[],
  failure: Pick<HostFailureRecord, 'step' | 'reason' | 'message'>,
  now: number,
): HostFailureRecord[] {
  const step = failure.step.slice(0, MAX_STEP);
  const reason = failure.reason.slice(0, MAX_REASON);
  const known = failures.find(one => one.step === step && one.reason === reason);
  const at = timestamp(now);
  const entry: HostFailureRecord = {
    step,
    reason,
    count: (known?.count ?? 0) + 1,
    firstTime: known?.firstTime ?? at,
    lastTime: at,
    ...(failure.message === undefined ? {} : { message: failure.message.slice(0, MAX_MESSAGE) }),
  };
  const others = failures
    .filter(one => one !== known)
    .toSorted((a, b) => Date.parse(a.lastTime) - Date.parse(b.lastTime));
  return [...others.slice(Math.max(0, others.length - MAX_ENTRIES + 1)), entry];
}

export const isQuarantined = ({ spec, status }: MacHost, now: number): boolean =>
  spec.quarantine !== undefined || (status?.quarantine !== undefined && !isOver(status.quarantine, now));

export const isOver = ({ until }: HostQuarantine, now: number): boolean =>
  until !== undefined && Date.parse(until) <= now;

export interface HostReturn {
  /** `GaveUp`: the first plan failed too often on this host. */
  readonly how: 'Returned' | 'GaveUp';
  /** Reason of a quarantine that only an operator ends, whatever the record says. */
  readonly untilInspected?: string;
  readonly now: number;
}

/**
 * Record of a host that leaves its machine, with a quarantine if it failed too often. Each epoch is counted once, so a release that is
 * repeated after a crash changes nothing.
 */
export function recordReturn({ spec, status = {} }: MacHost, { how, untilInspected, now }: HostReturn): FailureRecord {
  const { failures = [], returns, quarantine } = status;
  const before: FailureRecord = {
    ...(failures.length > 0 ? { failures } : {}),
    ...(returns ? { returns } : {}),
    ...(quarantine && !isOver(quarantine, now) ? { quarantine } : {}),
  };
  if (returns?.epoch === spec.claimEpoch) return before;
  const { failing = 0, quarantined = 0 } = returns ?? {};
  const failed = failures.length > 0;
  const counted = { epoch: spec.claimEpoch, failing: failing + (failed ? 1 : 0), quarantined };
  if (how === 'Returned' && untilInspected === undefined && counted.failing < FAILING_MACHINES)
    return failed || returns ? { ...before, returns: counted } : before;
  const length = untilInspected === undefined ? QUARANTINE_LENGTHS[quarantined] : undefined;
  const reasons = [...new Set([untilInspected ?? [], failures.map(({ reason }) => reason)].flat())];
  return {
    ...before,
    returns: { ...counted, quarantined: quarantined + 1 },
    quarantine: quarantineFor(reasons, { now, length }),
  };
}

const quarantineFor = (
  reasons: readonly string[],
  { now, length }: { readonly now: number; readonly length: Duration | undefined },
): HostQuarantine => ({
  since: timestamp(now),
  ...(length === undefined ? {} : { until: timestamp(now + length) }),
  reasons: reasons.length > 0 ? reasons.slice(0, MAX_REASONS) : ['HostGivenUp'],
});
