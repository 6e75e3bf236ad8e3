import { faultsAt } from './effect-fault.ts';
import { fleetFaultBench } from './fleet-fault-bench.ts';
import { scenarioRunner } from './scenario-runner.ts';

export const { faultsIn, inject: injectFault } = scenarioRunner({ open: fleetFaultBench, faultsAt });
