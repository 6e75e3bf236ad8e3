import { isIP } from 'node:net';
import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import { isTerminal } from '../decide/pod-table.ts';
import { containerStatuses } from './container-status.ts';
import { podConditions } from './pod-conditions.ts';
import { isOver, type PodCondition, type PodStatus, podPhase, type StatusInput } from './status-input.ts';

const OWNED: readonly (keyof OwnedStatus)[] = [
  'phase',
  'reason',
  'message',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'startTime',
  'containerStatuses',
  'observedGeneration',
];

/** Lists that the server merges by key by default: a removed address would stay. */
const MERGED_LISTS: ReadonlySet<string> = new Set(['hostIPs', 'podIPs']);

/** Strategic merge patch that turns the server's status into the desired one; undefined if they are equal. */
export function statusPatch(server: PodStatus | undefined, desired: OwnedStatus): object | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of OWNED) {
    if (same(server?.[field], desired[field])) continue;
    const value = desired[field] ?? null;
    patch[field] = MERGED_LISTS.has(field) && Array.isArray(value) ? [...value, { $patch: 'replace' }] : value;
  }
  const conditions = (desired.conditions ?? []).flatMap(condition => {
    const before = server?.conditions?.find(({ type }) => type === condition.type);
    return same(before, condition) ? [] : [{ ...clearedFields(before), ...condition }];
  });
  if (conditions.length > 0) patch['conditions'] = conditions;
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Conditions are merged field by field, so an outdated reason must be removed explicitly. */
const clearedFields = (before: PodCondition | undefined): object =>
  Object.fromEntries(['reason', 'message'].filter(field => before && field in before).map(field => [field, null]));

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

/** Sorts keys and drops nulls and empty lists: the server writes unset times as null and omits empty lists. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(canonical) : undefined;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonical(inner)]),
  );
}

/** Status fields that the agent owns; absent ones are removed from the server's status. */
type OwnedStatus = Pick<
  PodStatus,
  | 'phase'
  | 'reason'
  | 'message'
  | 'hostIP'
  | 'hostIPs'
  | 'podIP'
  | 'podIPs'
  | 'startTime'
  | 'containerStatuses'
  | 'conditions'
  | 'observedGeneration'
>;

/** Computes a Pod's status as a pure function of its input. */
export function podStatus(input: StatusInput): OwnedStatus {
  const { pod, now } = input;
  const phase = podPhase(input);
  // The containers of a terminal Pod are final: the guest's record may be gone, and the reported exit must not change.
  const kept = isTerminal(pod) ? pod.status?.containerStatuses : undefined;
  const containers = kept ?? containerStatuses(input);
  return {
    phase,
    startTime: pod.status?.startTime ?? timestamp(now),
    containerStatuses: containers,
    conditions: podConditions(input, { phase, containers }),
    ...whyItEnded(input),
    ...addresses(input),
    ...defined({ observedGeneration: pod.metadata.generation }),
  };
}

/** Reason and message are set only together with the terminal phase. */
function whyItEnded(input: StatusInput): Pick<OwnedStatus, 'reason' | 'message'> {
  const { pod, failure } = input;
  if (isTerminal(pod)) return defined({ reason: pod.status?.reason, message: pod.status?.message });
  return isOver(input) && failure ? { reason: failure.reason, message: failure.message } : {};
}

function addresses({ pod, run, hostAddresses }: StatusInput): Partial<OwnedStatus> {
  const hosts = hostAddresses.filter(address => isIP(address) !== 0);
  const state = run?.guest?.state;
  const guest = state?.phase === 'running' ? state.address : run && pod.status?.podIP;
  const podIP = guest && isIP(guest) ? guest : undefined;
  return defined({
    hostIP: hosts[0],
    hostIPs: hosts.length > 0 ? hosts.map(ip => ({ ip })) : undefined,
    podIP,
    podIPs: podIP ? [{ ip: podIP }] : undefined,
  });
}
