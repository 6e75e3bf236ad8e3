/** The simulation of Macs, Tart, the vendor and GitHub, with their known quirks. No shipped code imports it. */

export { runnerImage } from './actions-runner/install-runner.ts';
export { type Chance, createChance } from './chance.ts';
export { createFaultPlan, type Fault, type FaultPlan, type FaultPoint, type FaultRule } from './faults/fault-plan.ts';
export type { Conclusion, Job, QueuedJob } from './github/jobs/job.ts';
export { type Github, startGithub } from './github/start-github.ts';
export { createJournal, type Journal, type JournalEntry } from './journal.ts';
export { type Scaleway, type ScalewayCredentials, startScaleway } from './scaleway/start-scaleway.ts';
export { spawnLeashed } from './spawn-leashed.ts';
export type { Host, Hosts, PrepareMac } from './world.ts';
export { startWorld, type World, type WorldOptions } from './world.ts';
export { createWorldClock } from './world-clock.ts';
export type { WorldDeps } from './world-deps.ts';
