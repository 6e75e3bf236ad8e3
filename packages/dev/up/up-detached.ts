import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliContext } from '@minifleet/cli';
import { milliseconds, pause } from '@minifleet/clock';
import { UP_ENDED } from '../errors.ts';
import { findRunningUp, requireNoOtherUp } from '../running/up-state.ts';

const MAIN = fileURLToPath(new URL('../minifleet.js', import.meta.url));
const POLL_INTERVAL = milliseconds(200);

export const logFileIn = (stateDirectory: string): string => join(stateDirectory, 'up.log');

/** Starts `up` as a background process, prints its output until it is ready, and returns. */
export async function upDetached(flags: readonly string[], context: CliContext): Promise<void> {
  const { clock, environment, output, signal, stateDirectory } = context;
  await requireNoOtherUp(context);
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
  const readNew = tail(logFile);
  try {
    for (;;) {
      output.write(readNew());
      if (ended !== undefined) throw signal.aborted ? signal.reason : UP_ENDED({ code: ended ?? 1, logFile });
      if ((await findRunningUp(context))?.ready) break;
      await pause(clock, POLL_INTERVAL);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    child.unref();
  }
  output.write(`${readNew()}Running in the background; stop it with minifleet down. Log: ${logFile}\n`);
}

/** Returns a function that reads the text added to a file since its last call. */
function tail(file: string): () => string {
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
