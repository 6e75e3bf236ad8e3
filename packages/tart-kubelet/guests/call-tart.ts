import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, type Duration, formatDuration, seconds } from '@minifleet/clock';
import { TartError, tartErrorOf } from './tart-error.ts';

/** Told before and after each call, by its arguments: the seam at which a test ends the process. */
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
const MOST_OUTPUT = 4 * 1024 * 1024;
const MOST_ERROR = 16 * 1024;
/** What a call left running may hold its output open; after its end we wait this long for the rest. */
const PATIENCE = seconds(2);

/** Runs one call of Tart to its end and gives its output. A call that hangs is killed with all it started. */
export async function callTart(options: CallTartOptions, call: TartCall): Promise<string> {
  const [command] = call.argv;
  if (call.signal?.aborted) throw new TartError('aborted', { command, words: 'given up before it began' });
  options.onCall?.('before', call.argv);
  const child = spawn(options.path, call.argv, {
    env: { ...options.environment, ...call.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that it can be killed with what it started.
    detached: true,
  });
  const output = gather(child, call);
  const leash = leashed(child, options, call);
  try {
    const exitCode = await ended(child, options.clock);
    const ending = leash.ending ?? (output.tooMuch ? tooMuch(command) : undefined);
    if (ending) throw ending;
    if (exitCode !== 0) throw tartErrorOf({ command, words: output.stderr || saidNothing(child), exitCode });
  } finally {
    leash.release();
  }
  options.onCall?.('after', call.argv);
  return output.stdout;
}

const tooMuch = (command: string): TartError =>
  new TartError('unreadable', { command, words: `printed more than ${MOST_OUTPUT} bytes` });

const saidNothing = (child: ChildProcess): string =>
  child.signalCode ? `ended by ${child.signalCode}` : `ended with ${child.exitCode} and said nothing`;

interface Output {
  stdout: string;
  stderr: string;
  tooMuch: boolean;
}

/** Keeps the beginning of the output and the end of the complaints; both are bounded. */
function gather(child: ChildProcess, { onLine }: TartCall): Output {
  const output: Output = { stdout: '', stderr: '', tooMuch: false };
  let line = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (onLine) {
      const lines = `${line}${text}`.split(/[\r\n]+/);
      line = (lines.pop() ?? '').slice(-MOST_ERROR);
      for (const each of lines) if (each !== '') onLine(each);
    } else if (output.stdout.length + text.length > MOST_OUTPUT) {
      output.tooMuch = true;
      killGroup(child, 'SIGKILL');
    } else output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr = `${output.stderr}${text}`.slice(-MOST_ERROR);
  });
  return output;
}

interface Leash {
  ending: TartError | undefined;
  release(): void;
}

/** Ends the call at its deadline, or when its caller gives up. */
function leashed(
  child: ChildProcess,
  { clock }: CallTartOptions,
  { argv: [command], within, signal }: TartCall,
): Leash {
  const deadline = clock.after(within, () => {
    leash.ending ??= new TartError('timed out', { command, words: `did not end within ${formatDuration(within)}` });
    killGroup(child, 'SIGKILL');
  });
  let hard: ReturnType<Clock['after']> | undefined;
  const giveUp = (): void => {
    leash.ending ??= new TartError('aborted', { command, words: 'given up' });
    // SIGINT lets it remove its temporary files (facts 10.1).
    killGroup(child, 'SIGINT');
    hard = clock.after(PATIENCE, () => killGroup(child, 'SIGKILL'));
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  const leash: Leash = {
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
      reject(new TartError('not installed', { command, words: `cannot be started: ${cause.message}` }, { cause }));
    });
    child.once('close', code => resolve(code ?? undefined));
    child.once('exit', code => {
      const patience = clock.after(PATIENCE, () => resolve(code ?? undefined));
      child.once('close', () => patience.cancel());
    });
  });
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
