import { type FleetBench, fleetBench } from './fleet-bench.ts';

/** Something that happens to a fleet and to no single effect of its provider. */
export interface Trouble {
  readonly name: string;
  /** What must come of it, in words. */
  readonly comesTo: string;
  readonly live: (bench: FleetBench) => Promise<unknown>;
}

/** What was wrong with it; nothing when it came to what it should. */
export async function liveTrouble({ live }: Trouble): Promise<readonly string[]> {
  const bench = await fleetBench();
  await live(bench);
  await bench.rest();
  bench.end();
  return bench.wrong;
}
