import type { CliContext } from '@minifleet/cli';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import { DOWN_NOT_OVER } from './errors.ts';
import { findRunning } from './running/find-running.ts';
import { giveOrder } from './running/give-order.ts';
import { logFileIn } from './up-detached.ts';

const DEADLINE = seconds(240);
const LOOK_AGAIN = milliseconds(100);

/** Stops the `up` that runs, wherever it was started, and returns when it and all of its are gone. */
export async function down(around: CliContext): Promise<void> {
  const { clock, output, stateDirectory } = around;
  const running = await findRunning(around);
  if (!running) return void output.write('Nothing is up.\n');
  await giveOrder({ running, order: 'stop' });
  const { pid } = running;
  if (!(await gone(pid, clock, around.signal))) {
    throw DOWN_NOT_OVER({ pid, timeout: '4 minutes', logFile: logFileIn(stateDirectory) });
  }
  output.write('It is down; nothing is left of it.\n');
}

async function gone(pid: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const end = clock.now() + DEADLINE;
  while (isAlive(pid)) {
    if (clock.now() > end) return false;
    await pause(clock, LOOK_AGAIN, signal);
    signal.throwIfAborted();
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
