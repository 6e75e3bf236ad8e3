/**
 * The JSON merge patch (RFC 7386) that turns one value into the other, or `undefined` when they are equal. Only fields
 * that differ are in it, so what others write meanwhile is left alone; lists are replaced whole.
 */
export function mergeDiff(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return equal(before, after) ? undefined : after;
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = after[name] === undefined ? removal(before[name]) : mergeDiff(before[name], after[name]);
    if (inner !== undefined) patch[name] = inner;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

const removal = (value: unknown): null | undefined => (value === undefined ? undefined : null);

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, index) => equal(value, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every(name => equal(a[name], b[name]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
