import type { HostClaim, HostFailure } from '@minifleet/api';
import { type Duration, minutes, timestamp } from '@minifleet/clock';
import { DEPARTURE, failuresOn, withFailure } from './failure-record.ts';

type Quarantine = NonNullable<NonNullable<HostClaim['status']>['quarantine']>;

/** How long the first, the second and the third time; after that until a person lifts it. */
const SPANS: readonly Duration[] = [minutes(60), minutes(6 * 60), minutes(24 * 60)];
/** One machine that fails may itself be at fault; a host that failed under two is. */
const MACHINES = 2;
/** The schema's bound. */
const REASONS = 16;

export const isPutAside = ({ spec, status }: HostClaim, now: number): boolean =>
  spec.quarantine !== undefined || (status?.quarantine !== undefined && !isOver(status.quarantine, now));

export const isOver = ({ until }: Quarantine, now: number): boolean => until !== undefined && Date.parse(until) <= now;

export interface Departure {
  readonly how: 'Return' | 'Quarantine';
  /** Why it is put aside until a person looks, whatever the record says. */
  readonly untilSeen?: string;
  readonly now: number;
}

export interface HostRecord {
  readonly failures: HostFailure[];
  readonly quarantine?: Quarantine;
}

/**
 * The record of a host that its machine lets go, and whether it is put aside. Counted once an epoch: a release that is repeated
 * after a crash changes nothing.
 */
export function recordAtDeparture(claim: HostClaim, departure: Departure): HostRecord {
  const { now, how, untilSeen } = departure;
  const before: HostRecord = {
    failures: claim.status?.failures ?? [],
    ...(claim.status?.quarantine && !isOver(claim.status.quarantine, now)
      ? { quarantine: claim.status.quarantine }
      : {}),
  };
  const mark = `epoch ${claim.spec.claimEpoch}`;
  const counted = before.failures.some(({ step, message }) => step === DEPARTURE && message === mark);
  if (counted) return before;
  const failed = failuresOn(before.failures).length > 0;
  const left = failed ? count(before.failures, 'ReturnedFailing', { mark, now }) : before.failures;
  if (how === 'Return' && untilSeen === undefined && timesOf(left, 'ReturnedFailing') < MACHINES) {
    return { ...before, failures: left };
  }
  const failures = count(left, 'PutAside', { mark, now });
  const span = untilSeen === undefined ? SPANS[timesOf(failures, 'PutAside') - 1] : undefined;
  return { failures, quarantine: quarantineFor(failures, { now, span, untilSeen }) };
}

function quarantineFor(
  failures: readonly HostFailure[],
  { now, span, untilSeen }: { now: number; span: Duration | undefined; untilSeen: string | undefined },
): Quarantine {
  const seen = failuresOn(failures).map(({ reason }) => reason);
  const reasons = [...new Set([...(untilSeen === undefined ? [] : [untilSeen]), ...seen])].slice(0, REASONS);
  return {
    since: timestamp(now),
    ...(span === undefined ? {} : { until: timestamp(now + span) }),
    reasons: reasons.length > 0 ? reasons : ['HostGivenUp'],
  };
}

type Counted = 'ReturnedFailing' | 'PutAside';

const count = (failures: readonly HostFailure[], reason: Counted, { mark, now }: { mark: string; now: number }) =>
  withFailure(failures, { step: DEPARTURE, reason, message: mark }, now);

const timesOf = (failures: readonly HostFailure[], counted: Counted): number =>
  failures.find(({ step, reason }) => step === DEPARTURE && reason === counted)?.count ?? 0;
