import { setTimeout as pause } from 'node:timers/promises';
import type { Memory } from './calls.ts';

// Each collection makes more objects collectable. The memory of both clients is constant after half a second.
const ROUNDS = 3;
const BETWEEN = 150;

/** Measures memory after repeated garbage collections. Once per process; needs `--expose-gc`. */
export async function measureMemory(): Promise<Memory> {
  if (!globalThis.gc) throw new TypeError('start the process with --expose-gc');
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    await pause(BETWEEN);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heapUsed, rss };
}
