/** The runners program: how soon a place is filled, pools turned over by jobs, and what pools cost at rest. */
import { loadavg } from 'node:os';
import type { Progress, Report } from '../benchmark.ts';
import { measureRunners } from './measure/measure-runners.ts';
import { SIZE, type RunnersSize } from './names.ts';
import { runnersReport } from './runners-report.ts';

/** `words` are pools, runners of each, and jobs for every place: `runners 3 4 2`. */
export async function runnersBenchmark(progress: Progress, words: readonly string[]): Promise<Report> {
  const [pools = SIZE.pools, runners = SIZE.runners, turns = SIZE.turns] = words.map(numberFrom);
  const size: RunnersSize = { pools, runners, turns };
  const [loadBefore = 0] = loadavg();
  return runnersReport(await measureRunners(size, progress), loadBefore);
}

function numberFrom(word: string): number {
  if (!/^[1-9]\d*$/.test(word)) throw new Error(`"${word}" is not a number of pools, runners or turns`);
  return Number(word);
}
