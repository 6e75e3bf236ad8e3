import { availableParallelism, loadavg } from 'node:os';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import type { RunnersFigures } from './measure/measure-runners.ts';
import { modelPolling } from './model/polling.ts';
import { AIMS, POLL_SECONDS, REST_SECONDS } from './names.ts';

type ReportRow = readonly string[];

const row = (name: string, value: number, baseline = '', aim = ''): ReportRow => [
  name,
  formatNumber(value),
  baseline,
  aim,
];

export function runnersReport(measured: RunnersFigures, loadBefore: number): Report {
  const { size } = measured;
  const environment = {
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    load: { before: loadBefore, after: loadavg()[0] ?? 0 },
  };
  const { load } = environment;
  return {
    header: [
      `runners: ${size.pools} pools of ${size.runners} runners, ${size.turns} jobs per runner slot; a real API server, the simulated GitHub`,
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, ${environment.platform}, ${environment.cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      'the program in its own process with defaults and shipped permissions (no leader election); GitHub and fakes of scheduler and agents in another; VMs and jobs take no time',
      'each pool has its own organisation, for which GitHub accepts one write per second; the wait of a new runner for that is not part of its replacement time',
      `polling is computed, not run: a controller that lists its Pods every ${POLL_SECONDS} s without a watch`,
    ],
    columns: ['measure', 'minifleet', 'polling', 'aim'],
    rows: [...replacementRows(measured), ...turnoverRows(measured), ...restRows(measured)],
    figures: { environment, ...measured, polling: modelPolling(POLL_SECONDS) },
  };
}

function replacementRows({ trickle, turnover, warmSeconds }: RunnersFigures): ReportRow[] {
  const other = modelPolling(POLL_SECONDS);
  const aim = `≤ ${AIMS.replacementMs}: ${trickle.p99 <= AIMS.replacementMs ? 'met' : 'missed'}`;
  return [
    row('pools created → all runners idle, s', warmSeconds),
    row('Pod deleted → successor created p50, ms', trickle.p50, formatNumber(other.p50)),
    row('  p99, ms', trickle.p99, formatNumber(other.p99), aim),
    row('  longest, ms', trickle.max),
    row('  samples', trickle.samples),
    row('job done → successor created p50, ms', turnover.replacement.p50, formatNumber(other.p50)),
    row('  p99, ms', turnover.replacement.p99, formatNumber(other.p99)),
    row('  samples', turnover.replacement.samples),
  ];
}

function turnoverRows({ turnover, peakMegabytes, idleMegabytes }: RunnersFigures): ReportRow[] {
  const { jobs, ends } = turnover;
  const lost = jobs.queued - jobs.done;
  const counted = ends['JobDone'] ?? 0;
  return [
    row('jobs queued → all done, s', turnover.jobsSeconds),
    row('  minimum due to the GitHub rate limit, s', turnover.boundSeconds),
    row('  and all runners observed as idle, s', turnover.idleSeconds),
    row('  and all ends counted, s', turnover.countedSeconds),
    row('jobs done', jobs.done, '', `${jobs.queued}: ${lost === 0 ? 'met' : 'missed'}`),
    row(
      'jobs or runners used twice',
      turnover.doubles.length,
      '',
      `0: ${turnover.doubles.length === 0 ? 'met' : 'missed'}`,
    ),
    row('ends counted as JobDone', counted, '', `${jobs.queued}: ${counted === jobs.queued ? 'met' : 'missed'}`),
    row('CPU time of the program, s', turnover.processorSeconds),
    row('  of API server and etcd, s', turnover.others.cluster),
    row('  of GitHub and Macs, s', turnover.others.macs),
    row('API requests per runner', turnover.apiRequests),
    row('GitHub requests per runner', turnover.forgeRequests),
    row('peak memory (RSS), MB', peakMegabytes),
    row('  before the first pool, MB', idleMegabytes),
  ];
}

const restRows = ({ atRest }: RunnersFigures): ReportRow[] => [
  row(`at rest for ${REST_SECONDS} s, API requests per pool and minute`, atRest.api),
  row('at rest, GitHub requests per pool and minute', atRest.forge),
  row('at rest, reconciles per pool and minute', atRest.passes),
  row('at rest, CPU time per pool and minute, ms', atRest.processorMs),
];
