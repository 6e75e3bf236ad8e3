import { setTimeout as sleep } from 'node:timers/promises';
import type { ProviderVersion } from '../../../e2e/testing/earlier-version.ts';
import type { Progress } from '../../benchmark.ts';
import { median } from '../../report/percentile.ts';
import { REST_SECONDS, SETTLE_SECONDS } from '../names.ts';
import { type InspectionFigures, measureInspections } from './inspections.ts';
import { jobTimes } from './job-times.ts';
import { openBench, type ProviderBench } from './open-bench.ts';
import type { MeteredProvider, ProviderReading } from './provider-meter.ts';
import { awaitFleetAvailable, awaitFleetReady } from './wait-for-fleet.ts';

/** Figures of one fleet, from its creation to Ready, and then at rest. */
export interface SizeFigures {
  readonly machines: number;
  /** Time from the creation of the fleet until the last machine is Ready. */
  readonly seconds: number;
  /** Time until Cluster API counts every machine as available. */
  readonly availableSeconds: number;
  /** Median duration of a host job. */
  readonly jobSeconds: number;
  readonly processorSeconds: number;
  /** CPU time of the other processes. */
  readonly others: { readonly cluster: number; readonly macs: number };
  readonly idleMegabytes: number;
  readonly peakMegabytes: number;
  /** Until Ready, per machine. */
  readonly requests: number;
  readonly reconciles: number;
  readonly vendorCalls: number;
  /** Total of all machines. */
  readonly vendorLists: number;
  /** Per machine and minute. */
  readonly atRest: { readonly requests: number; readonly passes: number; readonly processorSeconds: number };
  /** Only if requested. */
  readonly inspections?: InspectionFigures;
}

export interface MeasureSizeOptions {
  readonly version: ProviderVersion;
  readonly inspections: boolean;
  readonly progress: Progress;
}

export async function measureSize(machines: number, options: MeasureSizeOptions): Promise<SizeFigures> {
  const { version, inspections } = options;
  const progress: Progress = text => options.progress(`${machines} machines, ${version.name}: ${text}`);
  progress('starting Kubernetes with Cluster API, and as many Macs');
  await using bench = await openBench(machines, version);
  const figures = await measureFleet(bench, machines, progress);
  if (!inspections) return figures;
  progress('inspections of their hosts');
  return { ...figures, inspections: await measureInspections(bench) };
}

async function measureFleet(bench: ProviderBench, machines: number, progress: Progress): Promise<SizeFigures> {
  await using provider = await bench.startProvider();
  progress('from created to Ready');
  const others = await othersOf(bench);
  const idle = await provider.read();
  await bench.createFleet();
  await awaitFleetReady(bench.admin, machines).catch(async (error: unknown) => {
    const problems = await bench.macs.problems();
    throw new Error([...problems.slice(0, 5), provider.log().slice(-3_000)].join('\n'), { cause: error });
  });
  const ready = await provider.read();
  const othersReady = await othersOf(bench);
  const problems = await bench.macs.problems();
  if (problems.length > 0) throw new Error(`the figures are invalid: ${problems.slice(0, 5).join('; ')}`);
  await awaitFleetAvailable(bench.admin, machines);
  const availableSeconds = (performance.now() - idle.at) / 1_000;
  const perMachine = (figure: (of: ProviderReading) => number): number => (figure(ready) - figure(idle)) / machines;
  return {
    machines,
    seconds: (ready.at - idle.at) / 1_000,
    availableSeconds,
    jobSeconds: median(jobTimes(provider.log())),
    processorSeconds: ready.processorSeconds - idle.processorSeconds,
    others: { cluster: othersReady.cluster - others.cluster, macs: othersReady.macs - others.macs },
    idleMegabytes: idle.megabytes,
    requests: perMachine(of => of.requests),
    reconciles: perMachine(of => of.passes),
    vendorCalls: perMachine(of => of.vendorCalls),
    vendorLists: ready.vendorLists - idle.vendorLists,
    ...(await atRest(provider, machines, progress)),
  };
}

async function atRest(
  provider: MeteredProvider,
  machines: number,
  progress: Progress,
): Promise<Pick<SizeFigures, 'atRest' | 'peakMegabytes'>> {
  progress(`${REST_SECONDS} s at rest`);
  await sleep(SETTLE_SECONDS * 1_000);
  const begun = await provider.read();
  await sleep(REST_SECONDS * 1_000);
  const ended = await provider.read();
  const machineMinutes = (machines * (ended.at - begun.at)) / 60_000;
  const rate = (figure: (of: ProviderReading) => number): number => (figure(ended) - figure(begun)) / machineMinutes;
  return {
    atRest: {
      requests: rate(of => of.requests),
      passes: rate(of => of.passes),
      processorSeconds: rate(of => of.processorSeconds),
    },
    peakMegabytes: ended.peakMegabytes,
  };
}

async function othersOf(bench: ProviderBench): Promise<SizeFigures['others']> {
  return { cluster: bench.clusterSeconds(), macs: (await bench.macs.processorTime()) / 1_000 };
}
