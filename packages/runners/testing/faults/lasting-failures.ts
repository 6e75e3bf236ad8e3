import type { RunnersFailureScenario } from './failure-scenario.ts';
import { untilIdle, untilJobsCounted, untilJobsDone } from './pool-steps.ts';
import type { RunnersFaultBench } from './runners-fault-bench.ts';

/** Runs three jobs while the failure lasts. */
const duringJobs = (name: string, start: (bench: RunnersFaultBench) => void): RunnersFailureScenario => ({
  name,
  expected: 'three runners complete three jobs, and each job is counted once',
  async run(bench) {
    start(bench);
    await bench.makePool(2);
    if (!(await untilIdle(bench, 2))) return;
    bench.jobs.queue(3);
    if ((await untilJobsDone(bench, 3)) && (await untilJobsCounted(bench, 3))) await untilIdle(bench, 2);
  },
});

const atEveryWrite = (fail: (bench: RunnersFaultBench, write: number) => void) => (bench: RunnersFaultBench) => {
  let writes = 0;
  bench.start({
    onEffect: ({ kind }) => {
      if (kind === 'api') fail(bench, ++writes);
      return undefined;
    },
  });
};

export const lastingFailures: readonly RunnersFailureScenario[] = [
  duringJobs('two controllers run at the same time from the start', bench => {
    bench.start();
    bench.start();
  }),
  duringJobs(
    'all watches break at every write',
    atEveryWrite(({ api }) => api.faults.dropWatches()),
  ),
  duringJobs(
    'the API server restarts at every third write, which breaks watches and expires resource versions',
    atEveryWrite(({ api }, write) => {
      if (write % 3 !== 0) return;
      api.faults.dropWatches();
      api.faults.expireHistory();
    }),
  ),
];
