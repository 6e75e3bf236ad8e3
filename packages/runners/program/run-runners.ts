import { type ProgramContext, runProgram } from '@minifleet/kube/program';
import { createRunnersMetrics } from '../observe/runners-metrics.ts';
import { addControllers } from './add-controllers.ts';
import type { RunnersFlags } from './flags.ts';

/** The previous system uses the same name, so that the two generations of the program never work at the same time. */
const LEASE = 'runners-controller.tuist.dev';

/** Runs the program until the signal aborts. */
export async function runRunners(flags: RunnersFlags, context: ProgramContext): Promise<void> {
  const { clock, random } = context;
  const metrics = createRunnersMetrics(clock);
  const options = { name: 'minifleet.dev/runners', title: 'Runners program', lease: LEASE };
  await runProgram({ ...options, flags, context, metrics: metrics.kube }, async deps =>
    addControllers({ ...deps, clock, flags, metrics, random }),
  );
}
