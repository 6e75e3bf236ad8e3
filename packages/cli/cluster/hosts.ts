import type { MacHost } from '@minifleet/api';
import { findCondition } from '@minifleet/kube/client';

/** Returns `namespace/name` of the machine that holds the host; undefined for a free host. */
export const consumerOf = ({ spec: { consumerRef } }: MacHost): string | undefined =>
  consumerRef && `${consumerRef.namespace}/${consumerRef.name}`;

/** Returns the message of the host's condition Ready without the state in front of it; empty if the host is Ready. */
export function readyMessage(host: MacHost): string {
  const ready = findCondition(host, 'Ready');
  if (ready?.status !== 'False') return '';
  const { state = '' } = host.status ?? {};
  // The message describes the state that the provider has observed.
  if (hostState(host) !== state) return '';
  const { message } = ready;
  return message.startsWith(`${state}: `) ? message.slice(state.length + 2) : message;
}

/** Quarantine of a host: requested by an operator, or recorded after failures. Absent if machines can claim the host. */
interface QuarantineSummary {
  readonly reason: string;
  readonly since: string | undefined;
  /** End of a quarantine after failures; undefined if an operator must end it. */
  readonly until?: string | undefined;
  readonly requested: boolean;
}

export function quarantineOf({ spec, status }: MacHost): QuarantineSummary | undefined {
  if (spec.quarantine) return { reason: spec.quarantine.reason, since: spec.quarantine.since, requested: true };
  if (!status?.quarantine) return undefined;
  const { since, until, reasons } = status.quarantine;
  return { reason: `repeated failures (${reasons.join(', ')})`, since, until, requested: false };
}

/** State that commands show. It shows a claim, and the start and end of a quarantine, before the provider has observed them. */
export function hostState(host: MacHost): string {
  const { state = 'New' } = host.status ?? {};
  if (state === 'Missing') return state;
  if (host.spec.consumerRef) return FREE_STATES.includes(state) ? 'Claimed' : state;
  if (quarantineOf(host)) return 'Quarantined';
  return state === 'Quarantined' ? 'Available' : state;
}

/** States without a machine. */
const FREE_STATES: readonly string[] = ['New', 'Available', 'Quarantined'];

/** Start of the state that `hostState` returns. */
export function sinceOf(host: MacHost): string | undefined {
  const since = hostState(host) === 'Quarantined' ? quarantineOf(host)?.since : undefined;
  return since ?? host.status?.stateSince ?? host.metadata.creationTimestamp;
}
