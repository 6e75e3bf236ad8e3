/** Benchmark of the provider: fleets of several sizes from creation to Ready and at rest, and the growth of its costs. */
import { loadavg } from 'node:os';
import type { Progress, Report } from '../benchmark.ts';
import { measureSize, type SizeFigures } from './measure/one-size.ts';
import { SIZES } from './names.ts';
import { providerReport } from './provider-report.ts';

/** `argv` is a list of other sizes, smallest first: `provider 20 50`. */
export async function providerBenchmark(progress: Progress, argv: readonly string[]): Promise<Report> {
  const sizes = argv.length === 0 ? SIZES : argv.map(sizeFrom);
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
