/** Copies plain JSON. structuredClone takes several times as long, and each reconcile copies its object. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(item => copyOf<unknown>(item)) as T;
  const copy: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(value)) copy[field] = copyOf(inner);
  return copy as T;
}
