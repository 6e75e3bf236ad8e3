import { scenarioRunner } from '@minifleet/provider/testing/faults/scenario-runner';
import { faultsAt } from './runners-effect.ts';
import { runnersFaultBench } from './runners-fault-bench.ts';

export const {
  faultsIn,
  run: runScenario,
  inject: injectFault,
} = scenarioRunner({ open: runnersFaultBench, faultsAt });
