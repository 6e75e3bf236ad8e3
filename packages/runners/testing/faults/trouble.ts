import { liveTroubleOf, type TroubleOf } from '@minifleet/provider/testing/faults/trouble';
import { type RunnersBench, runnersBench } from './runners-bench.ts';

export type Trouble = TroubleOf<RunnersBench>;

export const liveTrouble = liveTroubleOf(runnersBench);
