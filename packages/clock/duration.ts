/** A span of time in milliseconds. The brand keeps bare numbers, whose unit a reader has to guess, out of signatures. */
export type Duration = number & { readonly unit: 'milliseconds' };

export const milliseconds = (count: number): Duration => count as Duration;
export const seconds = (count: number): Duration => milliseconds(count * 1_000);
export const minutes = (count: number): Duration => seconds(count * 60);

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** `40ms`, `1.5s`, `3m20s`, `2h5m`, `3d4h`: at most the two largest units, as kubectl prints an age. */
export function formatDuration(duration: Duration): string {
  if (duration < 1_000) return `${Math.round(duration)}ms`;
  if (duration < 59_950) return `${Number((duration / 1_000).toFixed(1))}s`;
  return largestUnits(Math.round(duration / 1_000));
}

/** Time from `since` to `now` in whole seconds, as kubectl prints it in an AGE column; empty if `since` is unknown. */
export function formatAge(since: number, now: number): string {
  if (Number.isNaN(since)) return '';
  return largestUnits(Math.max(0, Math.floor((now - since) / 1_000)));
}

function largestUnits(total: number): string {
  const first = Math.max(
    0,
    UNITS.findIndex(([, length]) => total >= length),
  );
  if (total === 0) return '0s';
  let rest = total;
  const counts = UNITS.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest %= length;
    return count > 0 ? `${count}${unit}` : '';
  });
  return counts.join('');
}

/** Reads a duration as Go writes it (`90s`, `30m`, `1h30m`); undefined if the text is not one. */
export function parseDuration(text: string): Duration | undefined {
  if (!/^(\d+[smhd])+$/.test(text)) return undefined;
  const lengths: Readonly<Record<string, number>> = Object.fromEntries(UNITS);
  const total = [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (lengths[unit] ?? 0),
    0,
  );
  return seconds(total);
}
