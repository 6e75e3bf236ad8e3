import { availableParallelism } from 'node:os';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { median, percentile } from '../report/percentile.ts';
import { formatNumber } from '../report/table.ts';
import { MACS } from './create-fleet.ts';
import type { CommandRuns } from './time-commands.ts';

const AIM = { command: 'minifleet get hosts', milliseconds: 300 };

interface CliRunConditions {
  readonly rounds: number;
  readonly load: { readonly before: number; readonly after: number };
}

export function cliReport(runs: CommandRuns, { rounds, load }: CliRunConditions): Report {
  const environment = {
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load,
  };
  const commands = [...runs].map(([command, all]) => ({
    command,
    median: median(all.map(({ wall }) => wall)),
    p95: percentile(
      all.map(({ wall }) => wall),
      0.95,
    ),
    processor: all.reduce((sum, { processor }) => sum + processor, 0) / all.length,
  }));
  return {
    header: [
      `cli: short commands on a cluster of ${MACS} machines, from the start of the process to its end; ${rounds} runs each, alternating`,
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, ${environment.platform}, ${environment.cores} cores for API server and commands; load ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} at the end`,
    ],
    columns: ['command', 'median, ms', 'p95, ms', 'CPU time, ms', 'aim of the median'],
    rows: commands.map(row => [row.command, ...[row.median, row.p95, row.processor].map(formatNumber), aimOf(row)]),
    figures: { environment, machines: MACS, rounds, commands },
  };
}

const aimOf = ({ command, median: measured }: { readonly command: string; readonly median: number }): string =>
  command === AIM.command ? `≤ ${AIM.milliseconds}: ${measured <= AIM.milliseconds ? 'met' : 'missed'}` : '';
