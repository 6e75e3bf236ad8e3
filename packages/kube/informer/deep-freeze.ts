/**
 * Makes an object from the cache unchangeable. A reconcile that writes into a cached object would change what every
 * other reader sees, and hide its own change from the patch; frozen, the first such write throws where it stands.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
