import type { PodCondition, PodStatus } from './picture.ts';
import type { OwnedStatus } from './pod-status.ts';

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
