import { blowsAt } from './blow.ts';
import { fleetBench } from './fleet-bench.ts';
import { stage } from './stage.ts';

export const { blowsIn, strike: strikeScene } = stage({ open: fleetBench, blowsAt });
