/** Benchmark of the node agent: its overhead at guest start, alone and in a fleet, and its cost on a Mac, compared with a polling node. */
import { loadavg } from 'node:os';
import type { Progress, Report } from '../benchmark.ts';
import { agentReport } from './agent-report.ts';
import { measureExecutables } from './host/executable.ts';
import { measureHost } from './host/measure-host.ts';
import { measureFleets } from './measure/measure-fleets.ts';

export async function agentBenchmark(progress: Progress): Promise<Report> {
  const [loadBefore = 0] = loadavg();
  const fleets = await measureFleets(progress);
  const host = await measureHost(progress);
  progress('executables');
  const executables = await measureExecutables();
  return agentReport({ loadBefore, ...fleets, host, executables });
}
