import type { Clock } from '@minifleet/clock';
import type { Chance } from './chance.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import type { Journal } from './journal.ts';

/** Dependencies of every part of the world: time, random numbers, injected faults, and the record of events. */
export interface WorldDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly faults: FaultPlan;
  readonly journal: Journal;
}
