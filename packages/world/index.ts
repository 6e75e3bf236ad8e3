/** The simulation: Macs, Tart, the vendor and the forge, with every quirk that hurt. Nothing that ships imports it. */
export { type Chance, createChance } from './chance.ts';
export { createFaultPlan, type Fault, type FaultPlan, type FaultPoint, type FaultRule } from './faults/fault-plan.ts';
export { createJournal, type Entry, type Journal } from './journal.ts';
export type { Surroundings } from './surroundings.ts';
export { type Credentials as ScalewayCredentials, type Scaleway, startScaleway } from './scaleway/start-scaleway.ts';
