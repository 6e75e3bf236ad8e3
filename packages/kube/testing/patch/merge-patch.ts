import { isObject } from '../store/json.ts';

/** RFC 7386: objects merge, null removes, everything else replaces. */
export function mergePatch(live: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = isObject(live) ? { ...live } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}
