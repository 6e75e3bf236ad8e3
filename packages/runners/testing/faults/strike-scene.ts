import { stage } from '@minifleet/provider/testing/faults/stage';
import { blowsAt } from './blow.ts';
import { runnersBench } from './runners-bench.ts';

export const { blowsIn, live: liveScene, strike: strikeScene } = stage({ open: runnersBench, blowsAt });
