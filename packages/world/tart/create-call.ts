import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createChance } from '../chance.ts';
import { scaledClock } from '../scaled-clock.ts';
import { fileJournal, hostFaults, hostReader } from './host/host-file.ts';
import type { CallingProcess, TartCall } from './tart-call.ts';

type CreateCallOptions = Pick<TartCall, 'argv' | 'environment' | 'process' | 'out' | 'err'>;

/** One call on the home and the world that its environment names. */
export function createCall({ argv, environment, ...caller }: CreateCallOptions): TartCall {
  const home = environment['TART_HOME'] ?? join(homedir(), '.tart');
  const world = environment['TART_WORLD'];
  mkdirSync(world ?? home, { recursive: true });
  const host = hostReader(world ?? home);
  const clock = scaledClock(() => host().speed ?? 1);
  const chance = createChance(
    `${host().seed ?? clock.random()}/${drawNumber(world, caller.process)}/${argv.join(' ')}`,
  );
  const journal = fileJournal(world, clock);
  const faults = hostFaults({ directory: world, chance: chance.stream('faults'), host });
  return {
    ...{ argv, environment, home, ...caller, host },
    worldDirectory: world ?? home,
    around: { clock, chance, faults, journal },
  };
}

/**
 * Number of this call in the world, so that the same command draws different random numbers each time: the size of a
 * file that grows by one byte per call.
 */
function drawNumber(world: string | undefined, { pid }: CallingProcess): number {
  if (world === undefined) return pid;
  const path = join(world, 'calls');
  appendFileSync(path, '.');
  return statSync(path).size;
}
