import { formatDuration, milliseconds } from '@minifleet/clock';
import type { ClockSkew } from './parse-facts.ts';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `61.4 GB`, as the Finder counts. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1_000 ** power).toFixed(1))} ${UNITS[power]}`;
}

/** `in step with ours`, or how far it is at least. */
export function formatSkew({ least, most }: ClockSkew): string {
  if (least <= 0 && most >= 0)
    return `in step with ours, as far as ${formatDuration(milliseconds(most - least))} can tell`;
  return least > 0
    ? `${formatDuration(milliseconds(least))} ahead of ours`
    : `${formatDuration(milliseconds(-most))} behind ours`;
}
