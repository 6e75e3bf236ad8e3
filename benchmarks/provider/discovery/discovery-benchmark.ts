/** Benchmark of discovery: time, memory and requests until every server of a pool is an Available MacHost, and at rest. */
import { availableParallelism, loadavg } from 'node:os';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import type { Progress, Report } from '../../benchmark.ts';
import { formatNumber } from '../../report/table.ts';
import { DISCOVERY } from '../names.ts';
import { numberFrom } from '../number-from.ts';
import { type DiscoveryFigures, measureDiscovery } from './measure-discovery.ts';

/** `argv` is another number of servers, and of seconds at rest: `discovery 20 30`. */
export async function discoveryBenchmark(progress: Progress, argv: readonly string[]): Promise<Report> {
  const [servers = DISCOVERY.servers, restSeconds = DISCOVERY.restSeconds] = argv.map(word =>
    numberFrom(word, 'servers or seconds'),
  );
  const [before = 0] = loadavg();
  const figures = await measureDiscovery(servers, { restSeconds, progress });
  return discoveryReport(figures, { before, after: loadavg()[0] ?? 0 });
}

function discoveryReport(of: DiscoveryFigures, load: { readonly before: number; readonly after: number }): Report {
  const cores = availableParallelism();
  const { atRest, restart } = of;
  const row = (name: string, value: number): readonly string[] => [name, formatNumber(value)];
  return {
    header: [
      `discovery: ${of.servers} servers at the vendor, none of them claimed, until each is an Available MacHost; a real API server`,
      `Node ${process.version}, Kubernetes ${KUBERNETES_VERSION}, ${cores} cores for all of it; load ${load.before.toFixed(1)} before the first process, ${load.after.toFixed(1)} at the end`,
      'the provider in its own process with defaults, no leader election; the vendor in another process, limited to 50 requests per second and 100 servers per page',
      `at rest: ${atRest.seconds} s; the interval between two lists doubles from 1 to 5 minutes while nothing changes`,
    ],
    columns: ['measure', String(of.servers)],
    rows: [
      row('provider started → all MacHosts Available, s', of.seconds),
      row('CPU time of the provider, s', of.processorSeconds),
      row('  per server, ms', (of.processorSeconds * 1_000) / of.servers),
      row('  of the cluster, s', of.clusterSeconds),
      row('API requests per server', of.requests),
      row('reconciles per server', of.reconciles),
      row('server lists requested from the vendor', of.vendorLists),
      row('  all vendor requests', of.vendorCalls),
      row('peak memory (RSS), MB', of.peakMegabytes),
      row('  at rest, MB', atRest.megabytes),
      row('  without servers, MB', of.idleMegabytes),
      row('at rest, API requests per minute', atRest.requests),
      row('at rest, server lists per minute', atRest.vendorLists),
      row('at rest, reconciles per minute', atRest.reconciles),
      row('at rest, CPU time per minute, ms', atRest.processorMs),
      row('restart of the provider → caches filled, s', restart.seconds),
      row(`  API requests in the first ${DISCOVERY.settleSeconds} s`, restart.requests),
      row('  peak memory (RSS), MB', restart.peakMegabytes),
    ],
    figures: { environment: { node: process.version, kubernetes: KUBERNETES_VERSION, cores, load }, ...of },
  };
}
