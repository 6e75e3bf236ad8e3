/** A span of time in milliseconds. The brand keeps bare numbers, whose unit a reader has to guess, out of signatures. */
export type Duration = number & { readonly unit: 'milliseconds' };

export const milliseconds = (count: number): Duration => count as Duration;
export const seconds = (count: number): Duration => milliseconds(count * 1_000);
export const minutes = (count: number): Duration => seconds(count * 60);

/** `1.5s`, `40ms`, `2m`: how a person reads it in a log line or a condition. */
export function formatDuration(duration: Duration): string {
  if (duration < 1_000) return `${Math.round(duration)}ms`;
  if (duration < 60_000) return `${Number((duration / 1_000).toFixed(1))}s`;
  return `${Number((duration / 60_000).toFixed(1))}m`;
}
