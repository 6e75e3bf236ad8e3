import { availableParallelism, loadavg } from 'node:os';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import type { RunnersFigures } from './measure/measure-runners.ts';
import { modelPolling } from './model/polling.ts';
import { AIMS, POLL_SECONDS, REST_SECONDS } from './names.ts';

type ReportRow = readonly string[];

const row = (name: string, value: number, baseline = '', aim = ''): ReportRow => [name, formatNumber(value), baseline, aim];

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
      `runners: ${size.pools} pools of ${size.runners} runners, ${size.turns} jobs for every place; a real API server, the world’s GitHub`,
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, ${environment.platform}, ${environment.cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      'the program as a process of its own with its defaults and its own rights (no leader election); forge and stand-ins for scheduler and agents in another; VMs and jobs take no time',
      'each pool has an organisation of its own: for each, GitHub takes one write a second, which is what a new runner waits for; it is no part of filling a place',
      `the other way is computed, not run: a controller that looks at its Pods every ${POLL_SECONDS} s and is not told of them`,
    ],
    columns: ['measure', 'minifleet', 'the other way', 'aim'],
    rows: [...replacementRows(measured), ...turnoverRows(measured), ...restRows(measured)],
    figures: { environment, ...measured, otherWay: modelPolling(POLL_SECONDS) },
  };
}

function replacementRows({ trickle, turnover, warmSeconds }: RunnersFigures): ReportRow[] {
  const other = modelPolling(POLL_SECONDS);
  const aim = `≤ ${AIMS.replacementMs}: ${trickle.p99 <= AIMS.replacementMs ? 'met' : 'missed'}`;
  return [
    row('pools created → all runners idle, s', warmSeconds),
    row('Pod gone → the next one made p50, ms', trickle.p50, formatNumber(other.p50)),
    row('  p99, ms', trickle.p99, formatNumber(other.p99), aim),
    row('  longest, ms', trickle.max),
    row('  samples', trickle.samples),
    row('job done → the next one made p50, ms', turnover.replacement.p50, formatNumber(other.p50)),
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
    row('  GitHub’s pace alone, s', turnover.boundSeconds),
    row('  and all runners seen idle again, s', turnover.idleSeconds),
    row('  and all ends counted, s', turnover.countedSeconds),
    row('jobs done', jobs.done, '', `${jobs.queued}: ${lost === 0 ? 'met' : 'missed'}`),
    row(
      'jobs or runners taken twice',
      turnover.doubles.length,
      '',
      `0: ${turnover.doubles.length === 0 ? 'met' : 'missed'}`,
    ),
    row('ends counted as JobDone', counted, '', `${jobs.queued}: ${counted === jobs.queued ? 'met' : 'missed'}`),
    row('processor time of the program, s', turnover.processorSeconds),
    row('  of the API server and etcd meanwhile, s', turnover.others.cluster),
    row('  of forge and Macs meanwhile, s', turnover.others.macs),
    row('API requests a runner', turnover.apiRequests),
    row('GitHub requests a runner', turnover.forgeRequests),
    row('peak memory (RSS), MB', peakMegabytes),
    row('  before the first pool, MB', idleMegabytes),
  ];
}

const restRows = ({ atRest }: RunnersFigures): ReportRow[] => [
  row(`at rest for ${REST_SECONDS} s, API requests a pool-minute`, atRest.api),
  row('at rest, GitHub requests a pool-minute', atRest.forge),
  row('at rest, passes a pool-minute', atRest.passes),
  row('at rest, processor time a pool-minute, ms', atRest.processorMs),
];
