import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../benchmark.ts';
import type { MeteredProvider, ProviderReading } from '../measure/provider-meter.ts';
import { DISCOVERY } from '../names.ts';
import { type DiscoveryBench, openDiscoveryBench } from './open-discovery-bench.ts';

export interface DiscoveryFigures {
  readonly servers: number;
  /** Time from the start of the provider's process until the last MacHost is Available. */
  readonly seconds: number;
  readonly processorSeconds: number;
  /** CPU time of the cluster components. */
  readonly clusterSeconds: number;
  /** API requests per server, including those of the start. */
  readonly requests: number;
  readonly reconciles: number;
  readonly vendorCalls: number;
  readonly vendorLists: number;
  /** Memory of a provider without servers. */
  readonly idleMegabytes: number;
  readonly peakMegabytes: number;
  readonly atRest: RestFigures;
  /** Another provider that finds the MacHosts of the first. */
  readonly restart: { readonly seconds: number; readonly requests: number; readonly peakMegabytes: number };
}

/** Totals per minute. */
interface RestFigures {
  readonly seconds: number;
  readonly requests: number;
  readonly vendorLists: number;
  readonly reconciles: number;
  readonly processorMs: number;
  readonly megabytes: number;
}

export async function measureDiscovery(
  servers: number,
  { restSeconds, progress }: { readonly restSeconds: number; readonly progress: Progress },
): Promise<DiscoveryFigures> {
  progress('starting Kubernetes and the vendor');
  await using bench = await openDiscoveryBench();
  const idleMegabytes = await measureIdle(bench);
  await bench.addServers(servers);
  const figures = await measureFirst(bench, { servers, restSeconds, progress });
  progress('restart of the provider');
  return { ...figures, idleMegabytes, restart: await measureRestart(bench) };
}

async function measureIdle(bench: DiscoveryBench): Promise<number> {
  await using provider = await bench.startProvider();
  await sleep(DISCOVERY.settleSeconds * 1_000);
  return (await provider.read()).megabytes;
}

async function measureFirst(
  bench: DiscoveryBench,
  options: { readonly servers: number; readonly restSeconds: number; readonly progress: Progress },
): Promise<Omit<DiscoveryFigures, 'idleMegabytes' | 'restart'>> {
  const { servers, restSeconds, progress } = options;
  progress(`discovery of ${servers} servers`);
  const [startedAt, clusterBefore] = [performance.now(), bench.clusterSeconds()];
  await using provider = await bench.startProvider();
  await bench.awaitAvailable(servers).catch((error: unknown) => {
    throw new Error(provider.log().slice(-3_000), { cause: error });
  });
  const found = await provider.read();
  const clusterSeconds = bench.clusterSeconds() - clusterBefore;
  const atRest = await measureRest(provider, { restSeconds, progress });
  const { peakMegabytes } = await provider.read();
  return {
    servers,
    seconds: (found.at - startedAt) / 1_000,
    processorSeconds: found.processorSeconds,
    clusterSeconds,
    requests: found.requests / servers,
    reconciles: found.passes / servers,
    vendorCalls: found.vendorCalls,
    vendorLists: found.vendorLists,
    peakMegabytes,
    atRest,
  };
}

async function measureRest(
  provider: MeteredProvider,
  { restSeconds, progress }: { readonly restSeconds: number; readonly progress: Progress },
): Promise<RestFigures> {
  progress(`${restSeconds} s at rest`);
  await sleep(DISCOVERY.settleSeconds * 1_000);
  const begun = await provider.read();
  await sleep(restSeconds * 1_000);
  const ended = await provider.read();
  const minutes = (ended.at - begun.at) / 60_000;
  const rate = (figure: (of: ProviderReading) => number): number => (figure(ended) - figure(begun)) / minutes;
  return {
    seconds: restSeconds,
    requests: rate(of => of.requests),
    vendorLists: rate(of => of.vendorLists),
    reconciles: rate(of => of.passes),
    processorMs: rate(of => of.processorSeconds * 1_000),
    megabytes: ended.megabytes,
  };
}

async function measureRestart(bench: DiscoveryBench): Promise<DiscoveryFigures['restart']> {
  const startedAt = performance.now();
  await using provider = await bench.startProvider();
  const seconds = (performance.now() - startedAt) / 1_000;
  await sleep(DISCOVERY.settleSeconds * 1_000);
  const { requests, peakMegabytes } = await provider.read();
  return { seconds, requests, peakMegabytes };
}
