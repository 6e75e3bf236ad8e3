import { type Duration, milliseconds } from '@minifleet/clock';

/** `22 s`, `3 min 20 s`, `2 h 5 min`: how long something took, for people. */
export function lastedWords(duration: Duration): string {
  const all = Math.max(0, Math.round(duration / 1_000));
  if (all < 60) return `${all} s`;
  const [days, hours, minutes, seconds] = [all / 86_400, (all / 3_600) % 24, (all / 60) % 60, all % 60].map(Math.floor);
  if (days) return pair([days, 'd'], [hours, 'h']);
  return hours ? pair([hours, 'h'], [minutes, 'min']) : pair([minutes, 'min'], [seconds, 's']);
}

type Part = readonly [count: number | undefined, unit: string];

const pair = (...parts: readonly Part[]): string =>
  parts
    .filter(([count]) => count)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');

/** From one moment to another; nothing when it is not known since when. */
export const between = (from: number, to: number): Duration =>
  milliseconds(Number.isNaN(from) ? 0 : Math.max(0, to - from));
