import type { Clock } from '@minifleet/clock';
import type { Chance } from './chance.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import type { Journal } from './journal.ts';

/** What every part of the world is given: time, chance, what shall go wrong, and where to write down what happened. */
export interface WorldDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly faults: FaultPlan;
  readonly journal: Journal;
}
