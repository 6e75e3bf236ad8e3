/** The Cluster API provider: fleets of several sizes from created to Ready and at rest, and how its costs grow with them. */
import { loadavg } from 'node:os';
import type { Progress, Report } from '../benchmark.ts';
import { measureSize, type SizeFigures } from './measure/one-size.ts';
import { SIZES } from './names.ts';
import { providerReport } from './provider-report.ts';

/** `words` are other sizes, from the smallest: `provider 20 50`. */
export async function providerBenchmark(progress: Progress, words: readonly string[]): Promise<Report> {
  const sizes = words.length === 0 ? SIZES : words.map(sizeFrom);
  const [loadBefore = 0] = loadavg();
  const measured: SizeFigures[] = [];
  for (const size of sizes) {
    measured.push(await measureSize(size, { inspections: measured.length === 0, progress }));
  }
  return providerReport(measured, loadBefore);
}

function sizeFrom(word: string): number {
  if (!/^[1-9]\d*$/.test(word)) throw new Error(`"${word}" is not a number of machines`);
  return Number(word);
}
