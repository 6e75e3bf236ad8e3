/** The process around a supervisor: `tart-kubelet supervise <directory>`. */
import { closeSync, writeSync } from 'node:fs';
import process from 'node:process';
import { systemClock } from '@minifleet/clock';
import { type SuperviseOptions, supervise } from './supervise.ts';

/** Waits for the agent's word, then resolves when the guest has ended and its exit is on the disk; the caller ends the process. */
export async function runSupervisor(
  directory: string,
  options: Pick<SuperviseOptions, 'onDurableWrite'> = {},
): Promise<void> {
  const shutDown = new AbortController();
  process.on('SIGTERM', () => shutDown.abort());
  // A socket's path holds 104 bytes: it is bound by its name, from within the guest's folder.
  process.chdir(directory);
  if (!(await toldToGo())) return;
  await supervise({
    ...options,
    directory,
    clock: systemClock,
    environment: process.env,
    pid: process.pid,
    signal: shutDown.signal,
    onReady: answer,
  });
}

/** False when the agent gave it up, or died: then nothing has been run, and nothing is. */
function toldToGo(): Promise<boolean> {
  return new Promise(resolve => {
    process.stdin.once('data', () => {
      process.stdin.destroy();
      resolve(true);
    });
    process.stdin.once('end', () => resolve(false));
    process.stdin.once('error', () => resolve(false));
  });
}

function answer(word: string): void {
  try {
    writeSync(1, `${word}\n`);
  } catch {
    // The agent that asked has died meanwhile, and the next one connects by itself.
  }
  closeSync(1);
}
