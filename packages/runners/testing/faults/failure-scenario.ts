import { type FailureScenario, failureScenarioRunner } from '@minifleet/provider/testing/faults/failure-scenario';
import { type RunnersFaultBench, runnersFaultBench } from './runners-fault-bench.ts';

export type RunnersFailureScenario = FailureScenario<RunnersFaultBench>;

export const runFailureScenario = failureScenarioRunner(runnersFaultBench);
