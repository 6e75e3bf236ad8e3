import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, type Duration, formatDuration, seconds } from '@minifleet/clock';
import { TartError, tartErrorOf } from './tart-error.ts';

/** Called before and after each call with its arguments: tests end the process there. */
export type OnTartCall = (moment: 'before' | 'after', argv: readonly string[]) => void;

export interface CallTartOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onCall?: OnTartCall | undefined;
}

export interface TartCall {
  readonly argv: readonly [string, ...string[]];
  readonly within: Duration;
  readonly signal?: AbortSignal | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Far more than a list of a thousand VMs. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const MAX_STDERR = 16 * 1024;
/** A process left by a call may hold its output open; the agent waits this long for the rest after the call ended. */
const OUTPUT_GRACE = seconds(2);

/** Runs one Tart call and returns its output. A call that exceeds its deadline is killed with its process group. */
export async function callTart(options: CallTartOptions, call: TartCall): Promise<string> {
  const [command] = call.argv;
  if (call.signal?.aborted) throw new TartError('aborted', { command, message: 'cancelled before it started' });
  options.onCall?.('before', call.argv);
  const child = spawn(options.path, call.argv, {
    env: { ...options.environment, ...call.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that it can be killed with its children.
    detached: true,
  });
  const output = collectOutput(child, call);
  const callDeadline = startDeadline(child, options, call);
  try {
    const exitCode = await ended(child, options.clock);
    const ending = callDeadline.ending ?? (output.tooMuch ? tooMuch(command) : undefined);
    if (ending) throw ending;
    if (exitCode !== 0) throw tartErrorOf({ command, message: output.stderr || exitMessage(child), exitCode });
  } finally {
    callDeadline.release();
  }
  options.onCall?.('after', call.argv);
  return output.stdout;
}

const tooMuch = (command: string): TartError =>
  new TartError('unreadable', { command, message: `printed more than ${MAX_OUTPUT} bytes` });

const exitMessage = (child: ChildProcess): string =>
  child.signalCode ? `ended by ${child.signalCode}` : `exited with ${child.exitCode} and no output`;

interface TartOutput {
  stdout: string;
  stderr: string;
  tooMuch: boolean;
}

/** Keeps the beginning of stdout and the end of stderr; both are bounded. */
function collectOutput(child: ChildProcess, { onLine }: TartCall): TartOutput {
  const output: TartOutput = { stdout: '', stderr: '', tooMuch: false };
  let line = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (onLine) {
      const lines = `${line}${text}`.split(/[\r\n]+/);
      line = (lines.pop() ?? '').slice(-MAX_STDERR);
      for (const each of lines) if (each !== '') onLine(each);
    } else if (output.stdout.length + text.length > MAX_OUTPUT) {
      output.tooMuch = true;
      killGroup(child, 'SIGKILL');
    } else output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = `${output.stderr}${text}`.slice(-MAX_STDERR);
  });
  return output;
}

interface CallDeadline {
  ending: TartError | undefined;
  release(): void;
}

/** Ends the call at its deadline or when the caller aborts. */
function startDeadline(
  child: ChildProcess,
  { clock }: CallTartOptions,
  { argv: [command], within, signal }: TartCall,
): CallDeadline {
  const deadline = clock.after(within, () => {
    leash.ending ??= new TartError('timed out', { command, message: `timed out after ${formatDuration(within)}` });
    killGroup(child, 'SIGKILL');
  });
  let hard: ReturnType<Clock['after']> | undefined;
  const giveUp = (): void => {
    leash.ending ??= new TartError('aborted', { command, message: 'cancelled' });
    // SIGINT lets Tart remove its temporary files (facts 10.1).
    killGroup(child, 'SIGINT');
    hard = clock.after(OUTPUT_GRACE, () => killGroup(child, 'SIGKILL'));
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  const leash: CallDeadline = {
    ending: undefined,
    release() {
      deadline.cancel();
      hard?.cancel();
      signal?.removeEventListener('abort', giveUp);
    },
  };
  return leash;
}

function ended(child: ChildProcess, clock: Clock): Promise<number | undefined> {
  const [command = ''] = child.spawnargs.slice(1);
  return new Promise((resolve, reject) => {
    child.once('error', cause => {
      reject(new TartError('not installed', { command, message: `could not be started: ${cause.message}` }, { cause }));
    });
    child.once('close', code => resolve(code ?? undefined));
    child.once('exit', code => {
      const patience = clock.after(OUTPUT_GRACE, () => resolve(code ?? undefined));
      child.once('close', () => patience.cancel());
    });
  });
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is already empty.
  }
}
