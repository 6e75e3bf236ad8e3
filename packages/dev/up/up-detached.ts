import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliContext } from '@minifleet/cli';
import { milliseconds, pause } from '@minifleet/clock';
import { UP_ENDED } from './errors.ts';
import { refuseSecond } from './running/claim-running.ts';
import { findRunning } from './running/find-running.ts';

const MAIN = fileURLToPath(new URL('../minifleet.js', import.meta.url));
const LOOK_AGAIN = milliseconds(200);

export const logFileIn = (stateDirectory: string): string => join(stateDirectory, 'up.log');

/** Starts `up` as a process of its own, shows what it says until it is ready, and leaves it running. */
export async function upDetached(flags: readonly string[], around: CliContext): Promise<void> {
  const { clock, environment, output, signal, stateDirectory } = around;
  await refuseSecond(around);
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  const logFile = logFileIn(stateDirectory);
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(process.execPath, [MAIN, 'up', ...flags], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...environment },
  });
  closeSync(log);
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  let ended: number | null | undefined;
  child.once('exit', code => {
    ended = code ?? 1;
  });
  const show = follow(logFile);
  try {
    for (;;) {
      output.write(show());
      if (ended !== undefined) throw signal.aborted ? signal.reason : UP_ENDED({ code: ended ?? 1, logFile });
      if ((await findRunning(around))?.ready) break;
      await pause(clock, LOOK_AGAIN);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    child.unref();
  }
  output.write(`${show()}It runs on by itself; minifleet down stops it, ${logFile} has what it says.\n`);
}

/** What was added to a file since the last call. */
function follow(file: string): () => string {
  const descriptor = openSync(file, 'r');
  return () => {
    const parts: Buffer[] = [];
    for (;;) {
      const part = Buffer.alloc(65_536);
      const read = readSync(descriptor, part, 0, part.length, null);
      if (read === 0) return Buffer.concat(parts).toString();
      parts.push(part.subarray(0, read));
    }
  };
}
