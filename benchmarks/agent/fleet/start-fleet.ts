import { type Child, startChild } from '../../child/start-child.ts';
import type { FleetCalls } from './calls.ts';

export type Fleet = Child<FleetCalls>;

export const startFleet = (): Promise<Fleet> =>
  startChild<FleetCalls>({ file: new URL('./fleet.ts', import.meta.url) });
