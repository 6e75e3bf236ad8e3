const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** `3d`, `2h`, `45s`: how long ago, as kubectl writes it; empty when it is not known. */
export function age(since: string | undefined, now: number): string {
  const past = Math.max(0, Math.floor((now - Date.parse(since ?? '')) / 1_000));
  if (Number.isNaN(past)) return '';
  const [unit, length] = UNITS.find(([, seconds]) => past >= 2 * seconds) ?? UNITS[3];
  return `${Math.floor(past / length)}${unit}`;
}
