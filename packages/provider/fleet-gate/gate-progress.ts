import type { InfraMachine, MacHost } from '@minifleet/api';
import { type Duration, formatDuration, milliseconds, minutes } from '@minifleet/clock';
import type { MachineDeployment } from '../cluster-api/kinds.ts';

/** Objects of the fleets that a gate waits for. */
export interface FleetObjects {
  readonly deployments: readonly MachineDeployment[];
  /** Machines of both kinds. */
  readonly machines: readonly InfraMachine[];
  /** Hosts that these machines hold. */
  readonly hosts: readonly MacHost[];
}

/**
 * Facts that hold once a fleet has come closer to Available. A fact that the gate has not seen before is progress. A retry repeats known
 * facts, so a step that fails again and again is none.
 */
export function factsOf({ deployments, machines, hosts }: FleetObjects): readonly string[] {
  return [
    ...deployments.flatMap(({ metadata, status }) =>
      countTo(status?.availableReplicas).map(count => `${metadata.name} ${count} Macs available`),
    ),
    ...machines.flatMap(({ metadata, spec, status }) => [
      `${metadata.name} exists`,
      ...(spec.claimRef ? [`${metadata.name} claims ${spec.claimRef.name}`] : []),
      ...(status?.conditions ?? [])
        .filter(condition => condition.status === 'True')
        .map(({ type }) => `${metadata.name} ${type}`),
    ]),
    ...hosts.flatMap(({ metadata, spec, status = {} }) => {
      const host = `${metadata.name}/${spec.claimEpoch ?? 0}`;
      const { state, vendorState, remedies, steps = [] } = status;
      return [
        `${host} ${state}`,
        ...(vendorState === undefined ? [] : [`${host} ${vendorState} at the vendor`]),
        ...(['restart', 'reinstall'] as const)
          .filter(remedy => remedies?.[remedy]?.acceptedTime !== undefined)
          .map(remedy => `${host} ${remedy} accepted`),
        ...steps.filter(step => step.state === 'Done').map(({ name }) => `${host} ${name} done`),
      ];
    }),
  ];
}

const countTo = (count = 0): number[] => Array.from({ length: count }, (_, index) => index + 1);

export interface GateLimits {
  /** Limit of the whole wait. */
  readonly timeout: Duration;
  /** Limit of a wait without progress. */
  readonly progressTimeout: Duration;
}

/** A vendor reinstalls a Mac in about an hour, and reports nothing meanwhile. */
export const VENDOR_TIMEOUT = minutes(120);

interface GateTimes extends GateLimits {
  readonly elapsed: Duration;
  readonly sinceProgress: Duration;
  readonly isVendorBusy: boolean;
}

/** Returns the reason for which the gate gives up; undefined while it waits. */
export function giveUpReason(times: GateTimes): string | undefined {
  const { timeout, elapsed, sinceProgress } = times;
  const limit = stallLimit(times);
  if (elapsed >= timeout) return `after ${formatDuration(timeout)}`;
  return sinceProgress >= limit ? `after ${formatDuration(limit)} without progress` : undefined;
}

/** Longest wait without progress. */
export const stallLimit = ({
  progressTimeout,
  isVendorBusy,
}: Omit<GateTimes, 'elapsed' | 'sinceProgress'>): Duration =>
  isVendorBusy ? milliseconds(Math.max(progressTimeout, VENDOR_TIMEOUT)) : progressTimeout;

/** True while the vendor reinstalls or restarts a Mac. */
export const isVendorBusy = ({ hosts }: FleetObjects): boolean =>
  hosts.some(({ status }) => status?.vendorState === 'Busy');

/** Remembers all facts that were seen, and when the last new one appeared. */
export class ProgressRecord {
  readonly #seen = new Set<string>();
  #lastProgress: number;

  constructor(start: number) {
    this.#lastProgress = start;
  }

  note(facts: readonly string[], now: number): void {
    const before = this.#seen.size;
    for (const fact of facts) this.#seen.add(fact);
    if (this.#seen.size > before) this.#lastProgress = now;
  }

  /** Time since the last progress. */
  age(now: number): Duration {
    return milliseconds(now - this.#lastProgress);
  }
}
