import type { FleetBench } from './fleet-bench.ts';
import { begun, ready, returned } from './lives.ts';
import type { Trouble } from './trouble.ts';

const lived = (name: string, strike: (bench: FleetBench) => void): Trouble => ({
  name,
  comesTo: 'a whole life, on one host',
  async live(bench) {
    strike(bench);
    await begun(bench);
    if (await ready(bench)) await returned(bench);
    bench.expect('one host was wiped, once', bench.macs.wipes === 1);
  },
});

const atEveryWrite = (strike: (bench: FleetBench, write: number) => void) => (bench: FleetBench) => {
  let writes = 0;
  bench.start({
    meet: ({ kind }) => {
      if (kind === 'api') strike(bench, ++writes);
      return undefined;
    },
  });
};

export const troublesOfLives: readonly Trouble[] = [
  lived('two providers at once, from the beginning', bench => {
    bench.start();
    bench.start();
  }),
  lived(
    'all watches break at every write',
    atEveryWrite(({ api }) => api.faults.dropWatches()),
  ),
  lived(
    'the API server restarts at every third write: watches break, and old versions are unknown',
    atEveryWrite(({ api }, write) => {
      if (write % 3 !== 0) return;
      api.faults.dropWatches();
      api.faults.expireHistory();
    }),
  ),
  lived('the vendor’s lists never change', bench => {
    bench.vendor.holdLists();
    bench.start();
  }),
];
