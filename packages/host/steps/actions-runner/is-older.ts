/** Of two releases of the runner, `2.334.0`. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [one, other].map(version => version.split('.').map(Number));
  const at = (left ?? []).findIndex((part, index) => part !== right?.[index]);
  return at >= 0 && (left?.[at] ?? 0) < (right?.[at] ?? 0);
}
