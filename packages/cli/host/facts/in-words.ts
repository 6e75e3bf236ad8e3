import { type Duration, formatDuration, milliseconds } from '@minifleet/clock';
import type { Skew } from './parse-facts.ts';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `61.4 GB`, as the Finder counts. */
export function inBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1_000 ** power).toFixed(1))} ${UNITS[power]}`;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** `3d 4h`, `4h 12m`, `12m`: how long a host has been up. */
export function inLongTime(duration: Duration): string {
  const [days, hours] = [Math.floor(duration / DAY), Math.floor((duration % DAY) / HOUR)];
  const minutes = Math.floor((duration % HOUR) / 60_000);
  if (days > 0) return `${days}d ${hours}h`;
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m` : formatDuration(duration);
}

/** `in step with ours`, or how far it is at least. */
export function inSkew({ least, most }: Skew): string {
  if (least <= 0 && most >= 0)
    return `in step with ours, as far as ${formatDuration(milliseconds(most - least))} can tell`;
  return least > 0
    ? `${inLongTime(milliseconds(least))} ahead of ours`
    : `${inLongTime(milliseconds(-most))} behind ours`;
}
