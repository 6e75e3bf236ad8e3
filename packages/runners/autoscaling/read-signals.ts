import type { Signals } from './signals.ts';

/** What an answer says. Throws a sentence on anything that is not a demand: a page of errors must not read as nought. */
export function readSignals(text: string, pool: string): Signals {
  const answer = parsed(text);
  const { fleet = pool } = answer;
  if (fleet !== pool) throw new Error(`the answer is about ${String(fleet)}`);
  const count = (field: string, otherwise?: number): number => {
    const value = answer[field] ?? otherwise;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new Error(`its field ${field} is no count`);
    }
    return Math.ceil(value);
  };
  return {
    claimed: count('claimed'),
    queued: count('queued'),
    // Older servers do not know these.
    occupied: count('occupied', 0),
    withheld: count('withheld', 0),
    p95: count('p95_concurrent_last_hour', 0),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the answer is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the answer is no object');
  return value as Readonly<Record<string, unknown>>;
}
