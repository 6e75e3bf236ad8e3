/** Common part of the programs: flags, log, and the lifetime of a controller program. `run-main.ts` is apart to stay small. */
export * from './create-log.ts';
export * from './flags.ts';
export * from './run-program.ts';
