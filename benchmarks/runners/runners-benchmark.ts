/** Benchmark of the runners program: replacement time of runners, throughput of jobs, and cost of idle pools. */
import { loadavg } from 'node:os';
import type { Progress, Report } from '../benchmark.ts';
import { measureRunners } from './measure/measure-runners.ts';
import { type RunnersSize, SIZE } from './names.ts';
import { runnersReport } from './runners-report.ts';

/** `argv` is the number of pools, of runners per pool, and of jobs per runner slot: `runners 3 4 2`. */
export async function runnersBenchmark(progress: Progress, argv: readonly string[]): Promise<Report> {
  const [pools = SIZE.pools, runners = SIZE.runners, turns = SIZE.turns] = argv.map(numberFrom);
  const size: RunnersSize = { pools, runners, turns };
  const [loadBefore = 0] = loadavg();
  return runnersReport(await measureRunners(size, progress), loadBefore);
}

function numberFrom(word: string): number {
  if (!/^[1-9]\d*$/.test(word)) throw new Error(`"${word}" is not a number of pools, runners or turns`);
  return Number(word);
}
