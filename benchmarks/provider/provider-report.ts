import { availableParallelism, loadavg } from 'node:os';
import { CLUSTER_API_VERSION, KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import { growthOf } from './growth.ts';
import type { SizeFigures } from './measure/one-size.ts';
import { modelOlderSystem } from './model/older-system.ts';
import { AIMS, INSPECT_EVERY_MINUTES, REST_SECONDS } from './names.ts';

type ReportRow = readonly string[];
type SizeFigure = (of: SizeFigures) => number;

export function providerReport(sizes: readonly SizeFigures[], loadBefore: number): Report {
  const environment = {
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
    clusterApi: CLUSTER_API_VERSION,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
  };
  const { load } = environment;
  return {
    header: [
      'provider: a MachineDeployment of so many Macs from created to Ready, then at rest; stock Cluster API core, a real API server',
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, Cluster API ${CLUSTER_API_VERSION}, ${environment.platform}, ${environment.cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      'the provider as a process of its own with its defaults (16 hosts worked on at once, no leader election); the vendor takes no time, macOS takes its own; Macs and what stands for their agents in another process',
      'the older way is computed, not run: four workers, each held for a whole run on a host of the length measured here, and a list of servers for each claim',
      `at rest: ${REST_SECONDS} s; Nodes renew their leases and report every few minutes`,
    ],
    columns: ['measure', ...sizes.map(({ machines }) => String(machines)), 'aim'],
    rows: [...readyRows(sizes), ...costRows(sizes), ...restRows(sizes)],
    figures: { environment, sizes: sizes.map(withOlderWay) },
  };
}

const withOlderWay = (size: SizeFigures) => ({ ...size, olderWay: modelOlderSystem(size.machines, size.jobSeconds) });

const row = (sizes: readonly SizeFigures[], name: string, figure: SizeFigure, aim = ''): ReportRow => [
  name,
  ...sizes.map(size => formatNumber(figure(size))),
  aim,
];

function readyRows(sizes: readonly SizeFigures[]): ReportRow[] {
  const older = ({ machines, jobSeconds }: SizeFigures) => modelOlderSystem(machines, jobSeconds);
  const perMachine: SizeFigure = ({ seconds, machines }) => seconds / machines;
  return [
    row(sizes, 'created → all Ready, s', of => of.seconds),
    row(sizes, '  the older way, computed, s', of => older(of).seconds),
    row(sizes, '  a machine, s', perMachine, linear(sizes, perMachine)),
    row(sizes, 'created → MachineDeployment available, s', of => of.availableSeconds),
    row(sizes, 'a run on a host p50, s', of => of.jobSeconds),
    row(sizes, 'lists of servers asked of the vendor', of => of.vendorLists),
    row(sizes, '  the older way, computed', of => older(of).vendorLists),
    row(sizes, 'calls to the vendor, a machine', of => of.vendorCalls),
  ];
}

function costRows(sizes: readonly SizeFigures[]): ReportRow[] {
  const perMachine: SizeFigure = ({ processorSeconds, machines }) => (processorSeconds * 1_000) / machines;
  const requests: SizeFigure = of => of.requests;
  const peak = Math.max(...sizes.map(of => of.peakMegabytes));
  return [
    row(sizes, 'processor time of the provider, s', of => of.processorSeconds),
    row(sizes, '  a machine, ms', perMachine, linear(sizes, perMachine)),
    row(sizes, '  of the cluster meanwhile, s', of => of.others.cluster),
    row(sizes, '  of the Macs meanwhile, s', of => of.others.macs),
    row(sizes, 'peak memory (RSS), MB', of => of.peakMegabytes, atMost(peak, AIMS.megabytes)),
    row(sizes, '  before the first machine, MB', of => of.idleMegabytes),
    row(sizes, 'API requests until Ready, a machine', requests, linear(sizes, requests)),
    row(sizes, 'passes over a machine until Ready', of => of.reconciles),
  ];
}

function restRows(sizes: readonly SizeFigures[]): ReportRow[] {
  const inspections = sizes.find(of => of.inspections)?.inspections;
  const looks = (inspections?.requests ?? 0) / INSPECT_EVERY_MINUTES;
  const withLooks: SizeFigure = of => of.atRest.requests + looks;
  const most = Math.max(...sizes.map(withLooks));
  return [
    row(sizes, 'at rest, API requests a machine-minute', of => of.atRest.requests),
    row(
      sizes,
      `  and a look at the host every ${INSPECT_EVERY_MINUTES} min`,
      withLooks,
      atMost(most, AIMS.requestsAtRest),
    ),
    row(sizes, 'at rest, passes a machine-minute', of => of.atRest.passes),
    row(sizes, 'at rest, processor time a machine-minute, ms', of => of.atRest.processorSeconds * 1_000),
    row(sizes, 'a look at a host, API requests', of => of.inspections?.requests ?? Number.NaN),
    row(sizes, 'a look at a host, processor time, ms', of => (of.inspections?.processorSeconds ?? Number.NaN) * 1_000),
  ];
}

const atMost = (value: number, most: number): string => `≤ ${most}: ${value <= most ? 'met' : 'missed'}`;

function linear(sizes: readonly SizeFigures[], perMachine: SizeFigure): string {
  if (sizes.length < 2) return '';
  const growth = growthOf(sizes.map(perMachine));
  return `no worse than linear (×${growth.toFixed(2)}): ${growth <= AIMS.growth ? 'met' : 'missed'}`;
}
