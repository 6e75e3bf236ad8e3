import type { CliContext } from '@minifleet/cli';
import { type Clock, milliseconds, pause, seconds } from '@minifleet/clock';
import { DOWN_TIMED_OUT } from '../errors.ts';
import { sendControlRequest } from '../running/control-socket.ts';
import { findRunningUp } from '../running/up-state.ts';
import { logFileIn } from './up-detached.ts';

const TIMEOUT = seconds(240);
const POLL_INTERVAL = milliseconds(100);

/** Stops the running `up`, also one of another terminal, and returns when all of its processes and files are gone. */
export async function down(context: CliContext): Promise<void> {
  const { clock, output, stateDirectory } = context;
  const running = await findRunningUp(context);
  if (!running) return void output.write('No minifleet up is running.\n');
  await sendControlRequest(running.control, 'stop');
  const { pid } = running;
  if (!(await awaitExit(pid, clock, context.signal))) {
    throw DOWN_TIMED_OUT({ pid, timeout: '4 minutes', logFile: logFileIn(stateDirectory) });
  }
  output.write('Stopped; all processes and files are removed.\n');
}

async function awaitExit(pid: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const end = clock.now() + TIMEOUT;
  while (isAlive(pid)) {
    if (clock.now() > end) return false;
    await pause(clock, POLL_INTERVAL, signal);
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
