import type { ProviderFailureScenario } from './failure-scenario.ts';
import type { FleetFaultBench } from './fleet-fault-bench.ts';
import { createMachine, deleteMachine, untilReady } from './machine-steps.ts';

/** Runs the full lifecycle of a machine while the failure lasts. */
const duringLifecycle = (name: string, start: (bench: FleetFaultBench) => void): ProviderFailureScenario => ({
  name,
  expected: 'the machine completes its full lifecycle on one host',
  async run(bench) {
    start(bench);
    await createMachine(bench);
    if (await untilReady(bench)) await deleteMachine(bench);
    bench.expect('one host was reinstalled once', bench.macs.wipes === 1);
  },
});

const atEveryWrite = (fail: (bench: FleetFaultBench, write: number) => void) => (bench: FleetFaultBench) => {
  let writes = 0;
  bench.start({
    onEffect: ({ kind }) => {
      if (kind === 'api') fail(bench, ++writes);
      return undefined;
    },
  });
};

export const lastingFailures: readonly ProviderFailureScenario[] = [
  duringLifecycle('two providers run at the same time from the start', bench => {
    bench.start();
    bench.start();
  }),
  duringLifecycle(
    'all watches break at every write',
    atEveryWrite(({ api }) => api.faults.dropWatches()),
  ),
  duringLifecycle(
    'the API server restarts at every third write, which breaks watches and expires resource versions',
    atEveryWrite(({ api }, write) => {
      if (write % 3 !== 0) return;
      api.faults.dropWatches();
      api.faults.expireHistory();
    }),
  ),
  duringLifecycle('the vendor returns stale server lists from the start', bench => {
    bench.vendor.holdLists();
    bench.start();
  }),
];
