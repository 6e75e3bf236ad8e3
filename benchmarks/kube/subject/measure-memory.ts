import { setTimeout as pause } from 'node:timers/promises';
import type { Memory } from './calls.ts';

// What one collection frees lets go of more at the next; both clients are flat after half a second and stay so.
const ROUNDS = 3;
const BETWEEN = 150;

/** Collects the garbage until nothing is left that only looks used. Once per process; needs `--expose-gc`. */
export async function measureMemory(): Promise<Memory> {
  if (!globalThis.gc) throw new TypeError('start the process with --expose-gc');
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    await pause(BETWEEN);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heapUsed, rss };
}
