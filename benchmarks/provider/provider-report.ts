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
      'provider: a MachineDeployment of that many Macs from creation to Ready, then at rest; unmodified Cluster API, a real API server',
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, Cluster API ${CLUSTER_API_VERSION}, ${environment.platform}, ${environment.cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      'the provider in its own process with defaults (16 concurrent host jobs, no leader election); the vendor takes no time, macOS takes real time; Macs and fake agents in another process',
      'the older system is computed, not run: four workers, each occupied for a whole host job of the duration measured here, and one server list per claim',
      `at rest: ${REST_SECONDS} s; Nodes renew their leases and report every few minutes`,
    ],
    columns: ['measure', ...sizes.map(({ machines }) => String(machines)), 'aim'],
    rows: [...readyRows(sizes), ...costRows(sizes), ...restRows(sizes)],
    figures: { environment, sizes: sizes.map(withOlderSystem) },
  };
}

const withOlderSystem = (size: SizeFigures) => ({
  ...size,
  olderSystem: modelOlderSystem(size.machines, size.jobSeconds),
});

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
    row(sizes, '  older system, computed, s', of => older(of).seconds),
    row(sizes, '  per machine, s', perMachine, linear(sizes, perMachine)),
    row(sizes, 'created → MachineDeployment available, s', of => of.availableSeconds),
    row(sizes, 'host job p50, s', of => of.jobSeconds),
    row(sizes, 'server lists requested from the vendor', of => of.vendorLists),
    row(sizes, '  older system, computed', of => older(of).vendorLists),
    row(sizes, 'vendor requests per machine', of => of.vendorCalls),
  ];
}

function costRows(sizes: readonly SizeFigures[]): ReportRow[] {
  const perMachine: SizeFigure = ({ processorSeconds, machines }) => (processorSeconds * 1_000) / machines;
  const requests: SizeFigure = of => of.requests;
  const peak = Math.max(...sizes.map(of => of.peakMegabytes));
  return [
    row(sizes, 'CPU time of the provider, s', of => of.processorSeconds),
    row(sizes, '  per machine, ms', perMachine, linear(sizes, perMachine)),
    row(sizes, '  of the cluster, s', of => of.others.cluster),
    row(sizes, '  of the Macs, s', of => of.others.macs),
    row(sizes, 'peak memory (RSS), MB', of => of.peakMegabytes, atMost(peak, AIMS.megabytes)),
    row(sizes, '  before the first machine, MB', of => of.idleMegabytes),
    row(sizes, 'API requests until Ready, per machine', requests, linear(sizes, requests)),
    row(sizes, 'reconciles per machine until Ready', of => of.reconciles),
  ];
}

function restRows(sizes: readonly SizeFigures[]): ReportRow[] {
  const inspections = sizes.find(of => of.inspections)?.inspections;
  const inspectionRate = (inspections?.requests ?? 0) / INSPECT_EVERY_MINUTES;
  const withInspections: SizeFigure = of => of.atRest.requests + inspectionRate;
  const most = Math.max(...sizes.map(withInspections));
  return [
    row(sizes, 'at rest, API requests per machine and minute', of => of.atRest.requests),
    row(
      sizes,
      `  and an inspection every ${INSPECT_EVERY_MINUTES} min`,
      withInspections,
      atMost(most, AIMS.requestsAtRest),
    ),
    row(sizes, 'at rest, reconciles per machine and minute', of => of.atRest.passes),
    row(sizes, 'at rest, CPU time per machine and minute, ms', of => of.atRest.processorSeconds * 1_000),
    row(sizes, 'inspection of a host, API requests', of => of.inspections?.requests ?? Number.NaN),
    row(sizes, 'inspection of a host, CPU time, ms', of => (of.inspections?.processorSeconds ?? Number.NaN) * 1_000),
  ];
}

const atMost = (value: number, most: number): string => `≤ ${most}: ${value <= most ? 'met' : 'missed'}`;

function linear(sizes: readonly SizeFigures[], perMachine: SizeFigure): string {
  if (sizes.length < 2) return '';
  const growth = growthOf(sizes.map(perMachine));
  return `no worse than linear (×${growth.toFixed(2)}): ${growth <= AIMS.growth ? 'met' : 'missed'}`;
}
