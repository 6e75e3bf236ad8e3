import { setTimeout as sleep } from 'node:timers/promises';
import { INSPECTIONS } from '../names.ts';
import { jobTimes } from './job-times.ts';
import type { ProviderBench } from './open-bench.ts';

export interface InspectionFigures {
  readonly count: number;
  /** Of one look, to the API server. */
  readonly requests: number;
  readonly processorSeconds: number;
}

/** Another provider over the same fleet that does nothing but look at hosts: far oftener than anybody would, for a price of each. */
export async function measureInspections(bench: ProviderBench): Promise<InspectionFigures> {
  await using provider = await bench.startProvider([`--inspect-every=${INSPECTIONS.every}`]);
  const done = (): number => jobTimes(provider.log()).length;
  // Every machine is looked at by a new provider, whatever is due.
  await sleep(10_000);
  const [begun, before] = [await provider.read(), done()];
  await sleep(INSPECTIONS.seconds * 1_000);
  const [ended, looks] = [await provider.read(), done() - before];
  return {
    count,
    requests: (ended.requests - begun.requests) / looks,
    processorSeconds: (ended.processorSeconds - begun.processorSeconds) / looks,
  };
}
