/** The node agent: what it adds to a guest's boot, alone and as a fleet, and what it costs a Mac, beside a node that polls. */
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
