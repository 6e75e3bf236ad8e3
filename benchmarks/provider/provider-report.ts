import { availableParallelism, loadavg } from 'node:os';
import { defined } from '@minifleet/kube';
import { CLUSTER_API_VERSION, KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import { growthOf } from './growth.ts';
import type { SizeFigures } from './measure/one-size.ts';
import { modelOlderSystem } from './model/older-system.ts';
import { AIMS, INSPECT_EVERY_MINUTES, REST_SECONDS } from './names.ts';

/** Figures of one size, of this version and of the baseline. */
export interface SizeResult {
  readonly machines: number;
  readonly current: SizeFigures;
  readonly baseline?: SizeFigures;
}

export interface ProviderReportOptions {
  readonly loadBefore: number;
  readonly rounds: number;
  /** Commit of the baseline. */
  readonly baseline: string | undefined;
}

type ReportRow = readonly string[];
type SizeFigure = (of: SizeFigures) => number;

export function providerReport(sizes: readonly SizeResult[], options: ProviderReportOptions): Report {
  const { loadBefore, rounds, baseline } = options;
  const environment = {
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
    clusterApi: CLUSTER_API_VERSION,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
    baseline,
    rounds,
  };
  const { load } = environment;
  return {
    header: [
      'provider: a MachineDeployment of that many Macs from creation to Ready, then at rest; unmodified Cluster API, a real API server',
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, Cluster API ${CLUSTER_API_VERSION}, ${environment.platform}, ${environment.cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      'the provider in its own process with defaults (16 concurrent host jobs, no leader election); the vendor takes no time, macOS takes real time; Macs and fake agents in another process',
      ...(baseline === undefined ? [] : [`baseline: the provider of ${baseline} with its own CRDs, alternately`]),
      `runs per size and version: ${rounds}${rounds > 1 ? ', medians' : ''}`,
      'the older system is computed, not run: four workers, each occupied for a whole host job of the duration measured here, and one server list per claim',
      `at rest: ${REST_SECONDS} s; Nodes renew their leases and report every few minutes`,
    ],
    columns: ['measure', ...sizes.map(({ machines }) => String(machines)), 'aim'],
    rows: [...readyRows(sizes), ...costRows(sizes), ...restRows(sizes)],
    figures: { environment, sizes: sizes.map(withOlderSystem) },
  };
}

const withOlderSystem = ({ machines, current, baseline }: SizeResult) => ({
  ...current,
  olderSystem: modelOlderSystem(machines, current.jobSeconds),
  ...(baseline && { baseline }),
});

/** One row of this version. */
const row = (sizes: readonly SizeResult[], name: string, figure: SizeFigure, aim = ''): ReportRow => [
  name,
  ...sizes.map(({ current }) => formatNumber(figure(current))),
  aim,
];

/** A row of this version, and with a baseline two more: the baseline, and the ratio with its limit. */
function compared(
  sizes: readonly SizeResult[],
  name: string,
  figure: SizeFigure,
  aims: { readonly aim?: string; readonly ratio?: number } = {},
): ReportRow[] {
  const own = row(sizes, name, figure, aims.aim);
  if (sizes.every(({ baseline }) => baseline === undefined)) return [own];
  const before = sizes.map(({ baseline }) => (baseline ? figure(baseline) : Number.NaN));
  // Equal figures have the ratio 1, even if both are 0.
  const ratios = sizes.map(({ current }, index) =>
    figure(current) === before[index] ? 1 : figure(current) / (before[index] ?? Number.NaN),
  );
  const indent = /^ */.exec(name)?.[0] ?? '';
  return [
    own,
    [`${indent}  baseline`, ...before.map(formatNumber), ''],
    [`${indent}  new / baseline`, ...ratios.map(formatNumber), ratioAim(ratios, aims.ratio)],
  ];
}

function ratioAim(ratios: readonly number[], limit: number | undefined): string {
  const known = ratios.filter(ratio => !Number.isNaN(ratio));
  return limit === undefined || known.length === 0 ? '' : atMost(Math.max(...known), limit);
}

function readyRows(sizes: readonly SizeResult[]): ReportRow[] {
  const older = ({ machines, jobSeconds }: SizeFigures) => modelOlderSystem(machines, jobSeconds);
  const perMachine: SizeFigure = ({ seconds, machines }) => seconds / machines;
  const { ratio } = AIMS;
  return [
    ...compared(sizes, 'created → all Ready, s', of => of.seconds, { ratio }),
    row(sizes, '  older system, computed, s', of => older(of).seconds),
    row(sizes, '  per machine, s', perMachine, linear(sizes, perMachine)),
    ...compared(sizes, 'created → MachineDeployment available, s', of => of.availableSeconds),
    ...compared(sizes, 'host job p50, s', of => of.jobSeconds),
    ...compared(sizes, 'server lists requested from the vendor', of => of.vendorLists, { ratio: 1 }),
    row(sizes, '  older system, computed', of => older(of).vendorLists),
    ...compared(sizes, 'vendor requests per machine', of => of.vendorCalls, { ratio }),
  ];
}

function costRows(sizes: readonly SizeResult[]): ReportRow[] {
  const perMachine: SizeFigure = ({ processorSeconds, machines }) => (processorSeconds * 1_000) / machines;
  const requests: SizeFigure = of => of.requests;
  const peak = Math.max(...sizes.map(({ current }) => current.peakMegabytes));
  const { ratio } = AIMS;
  return [
    row(sizes, 'CPU time of the provider, s', of => of.processorSeconds),
    ...compared(sizes, '  per machine, ms', perMachine, { aim: linear(sizes, perMachine), ratio }),
    ...compared(sizes, '  of the cluster, s', of => of.others.cluster),
    row(sizes, '  of the Macs, s', of => of.others.macs),
    ...compared(sizes, 'peak memory (RSS), MB', of => of.peakMegabytes, { aim: atMost(peak, AIMS.megabytes), ratio }),
    ...compared(sizes, '  before the first machine, MB', of => of.idleMegabytes),
    ...compared(sizes, 'API requests until Ready, per machine', requests, { aim: linear(sizes, requests), ratio }),
    ...compared(sizes, 'reconciles per machine until Ready', of => of.reconciles),
  ];
}

function restRows(sizes: readonly SizeResult[]): ReportRow[] {
  // Inspections are measured at the smallest size only. Their cost does not depend on the size.
  const [first] = sizes;
  const withInspections = sizes.map(({ machines, current, baseline }) => ({
    machines,
    current: { ...current, ...defined({ inspections: first?.current.inspections }) },
    ...(baseline && { baseline: { ...baseline, ...defined({ inspections: first?.baseline?.inspections }) } }),
  }));
  const requests: SizeFigure = ({ atRest, inspections }) =>
    atRest.requests + (inspections?.requests ?? 0) / INSPECT_EVERY_MINUTES;
  const most = Math.max(...withInspections.map(({ current }) => requests(current)));
  const { ratio } = AIMS;
  return [
    ...compared(sizes, 'at rest, API requests per machine and minute', of => of.atRest.requests, { ratio }),
    ...compared(withInspections, `  and an inspection every ${INSPECT_EVERY_MINUTES} min`, requests, {
      aim: atMost(most, AIMS.requestsAtRest),
      ratio,
    }),
    ...compared(sizes, 'at rest, reconciles per machine and minute', of => of.atRest.passes),
    ...compared(sizes, 'at rest, CPU time per machine and minute, ms', of => of.atRest.processorSeconds * 1_000),
    ...compared(sizes, 'inspection of a host, API requests', of => of.inspections?.requests ?? Number.NaN, { ratio }),
    ...compared(
      sizes,
      'inspection of a host, CPU time, ms',
      of => (of.inspections?.processorSeconds ?? Number.NaN) * 1_000,
      { ratio },
    ),
  ];
}

const atMost = (value: number, most: number): string => `≤ ${most}: ${value <= most ? 'met' : 'missed'}`;

function linear(sizes: readonly SizeResult[], perMachine: SizeFigure): string {
  if (sizes.length < 2) return '';
  const growth = growthOf(sizes.map(({ current }) => perMachine(current)));
  return `no worse than linear (×${growth.toFixed(2)}): ${growth <= AIMS.growth ? 'met' : 'missed'}`;
}
