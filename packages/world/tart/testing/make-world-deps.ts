import { systemClock } from '@minifleet/clock';
import { createChance } from '../../chance.ts';
import { createFaultPlan } from '../../faults/fault-plan.ts';
import { createJournal } from '../../journal.ts';
import type { WorldDeps } from '../../world-deps.ts';

/** Real time, fixed seed. */
export function makeWorldDeps(): WorldDeps {
  const chance = createChance('test');
  return {
    clock: systemClock,
    chance,
    faults: createFaultPlan(chance.stream('faults')),
    journal: createJournal(systemClock),
  };
}
