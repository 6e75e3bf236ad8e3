import { setTimeout as sleep } from 'node:timers/promises';
import { INSPECTIONS } from '../names.ts';
import { jobTimes } from './job-times.ts';
import type { ProviderBench } from './open-bench.ts';

export interface InspectionFigures {
  readonly count: number;
  /** API requests per inspection. */
  readonly requests: number;
  readonly processorSeconds: number;
}

/** Measures the cost of one inspection with another provider that inspects the same fleet much more often than usual. */
export async function measureInspections(bench: ProviderBench): Promise<InspectionFigures> {
  await using provider = await bench.startProvider([`--inspect-every=${INSPECTIONS.every}`]);
  const done = (): number => jobTimes(provider.log()).length;
  // A new provider inspects every machine once at its start.
  await sleep(10_000);
  const [begun, before] = [await provider.read(), done()];
  await sleep(INSPECTIONS.seconds * 1_000);
  const [ended, count] = [await provider.read(), done() - before];
  return {
    count,
    requests: (ended.requests - begun.requests) / count,
    processorSeconds: (ended.processorSeconds - begun.processorSeconds) / count,
  };
}
