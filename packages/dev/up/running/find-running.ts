import type { CliContext } from '@minifleet/cli';
import { giveOrder } from './give-order.ts';
import { forgetRunning, type Running, readRunning } from './running-file.ts';

export interface Standing extends Running {
  /** Whether all it starts with is there. */
  readonly ready: boolean;
}

/** The `up` that runs; undefined when none does. What one that was killed left is forgotten. */
export async function findRunning({
  stateDirectory,
}: Pick<CliContext, 'stateDirectory'>): Promise<Standing | undefined> {
  const running = readRunning(stateDirectory);
  if (!running) return undefined;
  for await (const line of (await giveOrder<{ ready: boolean }>({ running, order: 'standing' })) ?? []) {
    return { ...running, ready: line.ready };
  }
  forgetRunning(stateDirectory, running);
  return undefined;
}
