import { createHash } from 'node:crypto';
import type { Duration } from '@minifleet/clock';

/** A tenth sooner or later, the same for a machine each time, so that a fleet is not looked at all at once. */
const SPREAD = 0.1;

/** When a host that was last seen as wanted at this time is to be looked at again; `every` of 0 is never. */
export function inspectionTime(uid: string, lastSeen: string | undefined, every: Duration): number | undefined {
  if (every === 0 || lastSeen === undefined) return undefined;
  const share = createHash('sha256').update(uid).digest().readUInt32BE() / 2 ** 32;
  return Date.parse(lastSeen) + every * (1 + SPREAD * (2 * share - 1));
}
