import { liveTroubleOf, type TroubleOf } from '../../../provider/testing/faults/trouble.ts';
import { type RunnersBench, runnersBench } from './runners-bench.ts';

export type Trouble = TroubleOf<RunnersBench>;

export const liveTrouble = liveTroubleOf(runnersBench);
