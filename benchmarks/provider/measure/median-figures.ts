import { median } from '../../report/percentile.ts';

/** The median of each figure over several runs of the same shape. */
export function medianFigures<T extends object>(runs: readonly T[]): T {
  const [first] = runs;
  if (!first) throw new Error('there is no run to take the median of');
  const entries = Object.entries(first).map(([name, value]) => {
    const values = runs.map(run => (run as Record<string, unknown>)[name]);
    return [name, typeof value === 'number' ? median(values as number[]) : medianFigures(values as object[])];
  });
  return Object.fromEntries(entries) as T;
}
