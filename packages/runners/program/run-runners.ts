import { type ProgramParts, runProgram, type Surroundings } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { openRunnersLog } from '../observe/runners-log.ts';
import { createRunnersMetrics } from '../observe/runners-metrics.ts';
import { addControllers } from './add-controllers.ts';
import type { Flags } from './flags.ts';

/** The older system's name: two generations of the program never work at once. */
const LEASE = 'runners-controller.tuist.dev';

/** The whole program, until the signal aborts. */
export async function runRunners(flags: Flags, around: Surroundings): Promise<void> {
  const { clock, output, random } = around;
  const redactor = createRedactor();
  const log = openRunnersLog({ output, level: flags.logLevel, clock, redactor });
  const metrics = createRunnersMetrics(clock);
  await runProgram(
    {
      name: 'minifleet.dev/runners',
      called: 'runners program',
      lease: LEASE,
      flags,
      around,
      log,
      metrics: metrics.kube,
    },
    async (parts: ProgramParts) => addControllers({ ...parts, clock, flags, log, metrics, random, redactor }),
  );
}
