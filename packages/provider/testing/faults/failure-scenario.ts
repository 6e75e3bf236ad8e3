import { type FleetFaultBench, fleetFaultBench } from './fleet-fault-bench.ts';
import type { MonitoredRuns } from './monitored-runs.ts';

/** Failure that is not tied to a single effect of a process. */
export interface FailureScenario<Bench> {
  readonly name: string;
  /** Description of the expected result. */
  readonly expected: string;
  readonly run: (bench: Bench) => Promise<unknown>;
}

export type ProviderFailureScenario = FailureScenario<FleetFaultBench>;

type RunMonitoring = Pick<MonitoredRuns<string, object>, 'settle' | 'stopAll' | 'violations'>;

/** Returns a function that runs a failure scenario on a new bench and returns the violations. */
export const failureScenarioRunner =
  <Bench extends RunMonitoring>(open: () => Promise<Bench>) =>
  async ({ run }: FailureScenario<Bench>): Promise<readonly string[]> => {
    const bench = await open();
    await run(bench);
    await bench.settle();
    bench.stopAll();
    return bench.violations;
  };

export const runFailureScenario = failureScenarioRunner(fleetFaultBench);
