import { isIP } from 'node:net';
import { timestamp } from '@minifleet/clock';
import { defined } from '@minifleet/kube';
import { isTerminal } from '../decide/pod-table.ts';
import { containerStatuses } from './container-status.ts';
import { podConditions } from './pod-conditions.ts';
import { isOver, type Picture, type PodCondition, type PodStatus, podPhase } from './status-input.ts';

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

/** Lists the server merges by key unless told otherwise: an address that went would stay. */
const MERGED_LISTS: ReadonlySet<string> = new Set(['hostIPs', 'podIPs']);

/** The strategic merge patch that makes the server's status ours; undefined when it says the same already. */
export function statusPatch(server: PodStatus | undefined, wanted: OwnedStatus): object | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of OWNED) {
    if (same(server?.[field], wanted[field])) continue;
    const value = wanted[field] ?? null;
    patch[field] = MERGED_LISTS.has(field) && Array.isArray(value) ? [...value, { $patch: 'replace' }] : value;
  }
  const conditions = (wanted.conditions ?? []).flatMap(condition => {
    const before = server?.conditions?.find(({ type }) => type === condition.type);
    return same(before, condition) ? [] : [{ ...forgotten(before), ...condition }];
  });
  if (conditions.length > 0) patch['conditions'] = conditions;
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Conditions are merged field by field: a reason that no longer holds has to be taken back by name. */
const forgotten = (before: PodCondition | undefined): object =>
  Object.fromEntries(['reason', 'message'].filter(field => before && field in before).map(field => [field, null]));

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

/** Sorted keys, and nothing for null or an empty list: the server writes times that are not set as null, and no empty lists. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value.map(canonical) : undefined;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonical(inner)]),
  );
}

/** The fields of a Pod's status this agent speaks for; what is absent from it is taken off the server's. */
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

/** A Pod's status as a pure function of what is known of it. */
export function podStatus(picture: Picture): OwnedStatus {
  const { pod, now } = picture;
  const phase = podPhase(picture);
  // What a Pod ended as is settled: its guest's record may be gone, and its end must not be told in another way.
  const kept = isTerminal(pod) ? pod.status?.containerStatuses : undefined;
  const containers = kept ?? containerStatuses(picture);
  return {
    phase,
    startTime: pod.status?.startTime ?? timestamp(now),
    containerStatuses: containers,
    conditions: podConditions(picture, { phase, containers }),
    ...whyItEnded(picture),
    ...addresses(picture),
    ...defined({ observedGeneration: pod.metadata.generation }),
  };
}

/** Reason and message come with the terminal phase, not before: until then the Pod has not ended. */
function whyItEnded(picture: Picture): Pick<OwnedStatus, 'reason' | 'message'> {
  const { pod, ending } = picture;
  if (isTerminal(pod)) return defined({ reason: pod.status?.reason, message: pod.status?.message });
  return isOver(picture) && ending ? { reason: ending.reason, message: ending.message } : {};
}

function addresses({ pod, run, hostAddresses }: Picture): Partial<OwnedStatus> {
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
