import type { RunnerPoolSettings } from '../pool/pool-deps.ts';
import type { Flags } from './flags.ts';

/** What the flags say, as the controller of pools wants it. */
export const settingsFrom = (flags: Flags): Required<RunnerPoolSettings> => ({
  namespace: flags.namespace,
  concurrency: flags.concurrency,
  lookEvery: flags.lookEvery,
  stuckAfter: flags.terminatingAfter,
  lostAfter: flags.lostAfter,
});
