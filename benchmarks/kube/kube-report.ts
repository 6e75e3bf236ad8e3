import { availableParallelism } from 'node:os';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Report } from '../benchmark.ts';
import { formatNumber } from '../report/table.ts';
import { type CacheMemory, MEMORY_LOAD } from './measure/cache-memory.ts';
import { CATCH_UP_LOAD, type CatchUpFigures } from './measure/catch-up.ts';
import { type EventLatency, LATENCY_LOAD } from './measure/event-latency.ts';
import { NO_OP_LOAD, type NoOpRate } from './measure/no-op-rate.ts';
import { REQUEST_LOAD, type RequestCount } from './measure/request-count.ts';
import type { Both } from './names.ts';

export interface KubeFigures {
  readonly bytesPerObject: number;
  readonly eventLatency: Both<EventLatency>;
  readonly noOpRate: Both<NoOpRate>;
  readonly cacheMemory: Both<CacheMemory>;
  readonly requestCount: Both<RequestCount>;
  readonly catchUp: Both<CatchUpFigures>;
}

// Aim of the project; a higher figure is reported as missed.
const P99_BELOW = 10;

export function kubeReport(figures: KubeFigures, officialVersion: string): Report {
  const environment = {
    node: process.version,
    kubernetes: KUBERNETES_VERSION,
    officialClient: officialVersion,
    cores: availableParallelism(),
    platform: `${process.platform}-${process.arch}`,
  };
  return {
    header: [
      `kube: @minifleet/kube compared with the same loop on @kubernetes/client-node ${officialVersion}`,
      `Node ${environment.node}, Kubernetes ${KUBERNETES_VERSION}, ${environment.platform}, ${environment.cores} cores; each subject in a separate process`,
      ...method(figures),
    ],
    columns: ['measure', 'minifleet', 'official client', 'aim'],
    rows: [...latencyRows(figures), ...loopRows(figures), ...requestRows(figures), ...catchUpRows(figures)],
    figures: { environment, ...figures },
  };
}

function method({ bytesPerObject }: KubeFigures): string[] {
  const { objects, eventsPerSecond, seconds, warmUpSeconds } = LATENCY_LOAD;
  return [
    `latency: ${eventsPerSecond} events/s for ${seconds} s over ${objects} objects, after ${warmUpSeconds} s of warm-up that is not counted; percentiles of all samples`,
    `no-op: median of ${NO_OP_LOAD.rounds} rounds after ${NO_OP_LOAD.warmUpRounds} of warm-up · memory: medians of ${MEMORY_LOAD.runs} idle and ${MEMORY_LOAD.runs} loaded processes, after gc · objects of ${bytesPerObject} bytes with managedFields`,
    `catch-up: median of ${CATCH_UP_LOAD.away.length} restarts of a real kube-apiserver that was away for ${CATCH_UP_LOAD.away.join(', ')} ms and its own start; all else against a stub server over TLS on loopback`,
  ];
}

type ReportRow = string[];

function row<T>(measure: string, both: Both<T>, figure: (of: T) => number): ReportRow {
  return [measure, formatNumber(figure(both.minifleet)), formatNumber(figure(both.official))];
}

const aimText = (aim: string, met: boolean): string => `${aim}: ${met ? 'met' : 'missed'}`;

function latencyRows({ eventLatency: both }: KubeFigures): ReportRow[] {
  return [
    row('event→reconcile p50, ms', both, of => of.p50),
    [...row('event→reconcile p99, ms', both, of => of.p99), aimText(`< ${P99_BELOW}`, both.minifleet.p99 < P99_BELOW)],
    row('event→reconcile max, ms', both, of => of.max),
    row('CPU time per event, ms', both, of => of.processorTimePerEvent),
    row('events without a reconcile', both, of => of.sent - of.samples),
  ];
}

function loopRows({ noOpRate, cacheMemory }: KubeFigures): ReportRow[] {
  const { minifleet, official } = cacheMemory;
  const notMore = (figure: keyof CacheMemory): string => aimText('≤ official', minifleet[figure] <= official[figure]);
  const objects = MEMORY_LOAD.objects.toLocaleString('en-US');
  return [
    row('no-op reconciles per second', noOpRate, of => of.reconcilesPerSecond),
    [...row(`heap for ${objects} objects, MB`, cacheMemory, of => of.heapGrowth), notMore('heapGrowth')],
    [...row(`RSS growth for ${objects} objects, MB`, cacheMemory, of => of.rssGrowth), notMore('rssGrowth')],
    [...row('RSS of the whole process, MB', cacheMemory, of => of.rss), notMore('rss')],
    ['  lowest to highest run', range(minifleet), range(official)],
  ];
}

const range = ({ lowestRss, highestRss }: CacheMemory): string =>
  `${formatNumber(lowestRss)}–${formatNumber(highestRss)}`;

function requestRows({ requestCount: both }: KubeFigures): ReportRow[] {
  const { objects } = REQUEST_LOAD;
  return [
    row('requests per writing reconcile', both, of => of.requestsPerReconcile),
    row('TLS connections per writing reconcile', both, of => of.connectionsPerReconcile),
    row(`${objects} objects written and settled, ms`, both, of => of.untilConverged),
    [
      ...row(`requests of ${objects} converged reconciles`, both, of => of.convergedRequests),
      aimText('0', both.minifleet.convergedRequests === 0),
    ],
  ];
}

function catchUpRows({ catchUp: both }: KubeFigures): ReportRow[] {
  return [
    row('catch-up after apiserver restart, ms', both, of => of.milliseconds),
    row('catch-up, slowest restart, ms', both, of => of.slowest),
    [...row('changes lost over all restarts', both, of => of.lost), aimText('0', both.minifleet.lost === 0)],
  ];
}
