import { type FleetBench, fleetBench } from './fleet-bench.ts';
import type { WatchedLives } from './watched-lives.ts';

/** Something that happens to a bench and to no single effect of its processes. */
export interface TroubleOf<Bench> {
  readonly name: string;
  /** Description of the expected result. */
  readonly comesTo: string;
  readonly live: (bench: Bench) => Promise<unknown>;
}

export type Trouble = TroubleOf<FleetBench>;

type Watched = Pick<WatchedLives<string, object>, 'rest' | 'end' | 'wrong'>;

/** Returns the violations; none if the expected result was reached. */
export const liveTroubleOf =
  <Bench extends Watched>(open: () => Promise<Bench>) =>
  async ({ live }: TroubleOf<Bench>): Promise<readonly string[]> => {
    const bench = await open();
    await live(bench);
    await bench.rest();
    bench.end();
    return bench.wrong;
  };

export const liveTrouble = liveTroubleOf(fleetBench);
