import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { ProviderProcess } from '../../../e2e/testing/provider-process.ts';
import { findFreePorts } from '../../../packages/local-cluster/free-ports.ts';
import { processUse } from '../../agent/host/processes.ts';
import { parseMetrics, sumOf } from './metrics-page.ts';

/** What the provider has done since its start. */
export interface Reading {
  /** Milliseconds on a clock that never goes back. */
  readonly at: number;
  readonly processorSeconds: number;
  readonly megabytes: number;
  readonly peakMegabytes: number;
  /** Sent to the API server, opened watches included. */
  readonly requests: number;
  readonly vendorCalls: number;
  readonly vendorLists: number;
  /** Of the controller of machines. */
  readonly passes: number;
}

/** The provider as a program, and what it says of itself. */
export interface MeteredProvider extends AsyncDisposable, Pick<ProviderProcess, 'log'> {
  read(): Promise<Reading>;
}

/** Ready when all its caches are full. Without leader election: renewing a lease costs the same whatever the fleet. */
export async function startMetered(start: (flags: readonly string[]) => ProviderProcess): Promise<MeteredProvider> {
  const [port = 0] = await findFreePorts(1);
  const provider = start([`--bind-address=127.0.0.1:${port}`]);
  const ask = async (path: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  };
  try {
    await eventually(() => ask('/readyz'), { deadline: seconds(60), what: 'the provider is ready' });
  } catch (error) {
    await provider.stop();
    throw new Error(`the provider did not start: ${provider.log().slice(-2_000)}`, { cause: error });
  }
  return {
    log: () => provider.log(),
    read: async () => readingOf(provider.pid, await ask('/metrics')),
    async [Symbol.asyncDispose]() {
      await provider.stop();
    },
  };
}

function readingOf(pid: number, page: string): Reading {
  const { processorTime, rss, peak } = processUse(pid);
  const samples = parseMetrics(page);
  return {
    at: performance.now(),
    processorSeconds: processorTime / 1_000,
    megabytes: rss / 1e6,
    peakMegabytes: peak / 1e6,
    requests: sumOf(samples, 'rest_client_requests_total'),
    vendorCalls: sumOf(samples, 'minifleet_vendor_requests_total'),
    vendorLists: sumOf(samples, 'minifleet_vendor_requests_total', { call: 'servers' }),
    passes: sumOf(samples, 'controller_runtime_reconcile_total', { controller: 'machine' }),
  };
}
