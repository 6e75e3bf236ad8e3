/** Process of a supervisor: `tart-kubelet supervise <directory>`. */
import { closeSync, writeSync } from 'node:fs';
import process from 'node:process';
import { systemClock } from '@minifleet/clock';
import { type SuperviseOptions, supervise } from './supervise.ts';

/**
 * Waits for the agent's start command, then resolves when the guest has ended and its exit is on disk; the caller ends
 * the process.
 */
export async function runSupervisor(
  directory: string,
  options: Pick<SuperviseOptions, 'onDurableWrite'> = {},
): Promise<void> {
  const shutDown = new AbortController();
  process.on('SIGTERM', () => shutDown.abort());
  // A socket path is limited to 104 bytes, so the socket is bound by its name from within the guest's folder.
  process.chdir(directory);
  if (!(await startCommand())) return;
  await supervise({
    ...options,
    directory,
    clock: systemClock,
    environment: process.env,
    pid: process.pid,
    signal: shutDown.signal,
    onReady: sendLine,
  });
}

/** False if the agent cancelled or died: nothing has run and nothing is started. */
function startCommand(): Promise<boolean> {
  return new Promise(resolve => {
    process.stdin.once('data', () => {
      process.stdin.destroy();
      resolve(true);
    });
    process.stdin.once('end', () => resolve(false));
    process.stdin.once('error', () => resolve(false));
  });
}

function sendLine(word: string): void {
  try {
    writeSync(1, `${word}\n`);
  } catch {
    // The agent has died meanwhile; the next one connects on its own.
  }
  closeSync(1);
}
