import { counted, jobsDone, warm } from './lives.ts';
import type { RunnersBench } from './runners-bench.ts';
import type { Trouble } from './trouble.ts';

const lived = (name: string, strike: (bench: RunnersBench) => void): Trouble => ({
  name,
  comesTo: 'three jobs are done by three runners, and each is counted once',
  async live(bench) {
    strike(bench);
    await bench.makePool(2);
    if (!(await warm(bench, 2))) return;
    bench.jobs.queue(3);
    if ((await jobsDone(bench, 3)) && (await counted(bench, 3))) await warm(bench, 2);
  },
});

const atEveryWrite = (strike: (bench: RunnersBench, write: number) => void) => (bench: RunnersBench) => {
  let writes = 0;
  bench.start({
    meet: ({ kind }) => {
      if (kind === 'api') strike(bench, ++writes);
      return undefined;
    },
  });
};

export const troublesOfLives: readonly Trouble[] = [
  lived('two programs at once, from the beginning', bench => {
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
];
